"""The table of `treadle cost`: ledger rows, their total, and notes. Loads no events."""

from treadle.cli.terminal.styled_lines import Line, Span
from treadle.cli.terminal.table import align_columns
from treadle.domain.ledger import CostLine
from treadle.runs.cost import CostReport
from treadle.views.cost_text import (
    cost_notes,
    cost_text,
    group_label,
    short_count,
    window_shares_text,
)

# WRITTEN and READ are tokens of the cache; SHARE is that of a subscription's usage windows.
TITLES = ("REQUESTS", "INPUT", "OUTPUT", "WRITTEN", "READ", "COST", "SHARE")
FLUSH_RIGHT = frozenset({1, 2, 3, 4, 5, 6})


def cost_table(report: CostReport) -> list[Line]:
    """A heading, a line for each group, and their total."""
    heading = [_quiet(title) for title in (report.by.upper(), *TITLES)]
    cells = [_cells(line, group_label(report.by, line.label)) for line in report.lines]
    total: list[Span] = [(text, "strong") for text, _ in _cells(report.total, "total")]
    rows: list[list[Span]] = [heading, *cells, total]
    if not report.total.subscription_requests:
        rows = [row[:-1] for row in rows]
    return align_columns(rows, flush_right=FLUSH_RIGHT)


def note_lines(report: CostReport) -> list[Line]:
    return [(_quiet(note),) for note in cost_notes(report.total)]


def _cells(line: CostLine, label: str) -> list[Span]:
    usage = line.usage
    return [
        (label, "strong"),
        *(
            (short_count(count), "plain")
            for count in (
                line.requests,
                usage.input_tokens,
                usage.output_tokens,
                usage.cache_write_tokens,
                usage.cache_read_tokens,
            )
        ),
        (cost_text(line), "plain"),
        (window_shares_text(line), "plain"),
    ]


def _quiet(text: str) -> Span:
    return text, "quiet"
