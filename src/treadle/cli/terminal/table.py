"""Cells in aligned columns. Thin: knows nothing of runs."""

from collections.abc import Sequence

from treadle.cli.terminal.text import clean, width_of
from treadle.cli.terminal.view import Line, Span

GAP = "  "


def aligned(
    rows: Sequence[Sequence[Span]], *, flush_right: frozenset[int] = frozenset(), indent: str = ""
) -> list[Line]:
    """Every column as wide as its widest cell; figures are best flushed to the right."""
    cleaned = [[(clean(text), style) for text, style in row] for row in rows]
    columns = list(zip(*cleaned, strict=True))
    widths = [max(width_of(text) for text, _ in column) for column in columns]
    return [
        tuple(
            (_placed(text, column, widths, flush_right, indent), style)
            for column, (text, style) in enumerate(row)
        )
        for row in cleaned
    ]


def _placed(
    text: str, column: int, widths: Sequence[int], flush_right: frozenset[int], indent: str
) -> str:
    blank = " " * (widths[column] - width_of(text))
    before = indent if column == 0 else GAP
    if column in flush_right:
        return before + blank + text
    # Nothing follows the last column, so it needs no filling.
    return before + text + ("" if column == len(widths) - 1 else blank)
