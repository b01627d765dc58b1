"""Aligns cells in columns. Knows nothing of runs."""

from collections.abc import Sequence

from treadle.cli.terminal.styled_lines import Line, Span
from treadle.views.safe_text import sanitize, width_of

GAP = "  "


def align_columns(
    rows: Sequence[Sequence[Span]], *, flush_right: frozenset[int] = frozenset(), indent: str = ""
) -> list[Line]:
    """Every column as wide as its widest cell; columns of figures are flushed to the right."""
    cleaned = [[(sanitize(text), style) for text, style in row] for row in rows]
    columns = list(zip(*cleaned, strict=True))
    widths = [max(width_of(text) for text, _ in column) for column in columns]
    return [
        tuple(
            (_pad_cell(text, column, widths, flush_right, indent), style)
            for column, (text, style) in enumerate(row)
        )
        for row in cleaned
    ]


def _pad_cell(
    text: str, column: int, widths: Sequence[int], flush_right: frozenset[int], indent: str
) -> str:
    blank = " " * (widths[column] - width_of(text))
    before = indent if column == 0 else GAP
    if column in flush_right:
        return before + blank + text
    # Nothing follows the last column, so it needs no filling.
    return before + text + ("" if column == len(widths) - 1 else blank)
