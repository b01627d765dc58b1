"""The table of `treadle cost`: ledger rows, their total, and notes. Loads no events."""

from pathlib import PurePath

from treadle.cli.terminal.styled_lines import Line, Span
from treadle.cli.terminal.table import align_columns
from treadle.domain.ids import RunId, short_id
from treadle.domain.ledger import CostGroup, CostLine
from treadle.runs.cost import CostReport
from treadle.views.figures import money

# Tokens, those of the cache as they were written to it and read from it; the share of a
# subscription's windows.
TITLES = ("REQUESTS", "INPUT", "OUTPUT", "WRITTEN", "READ", "COST", "SHARE")
FLUSH_RIGHT = frozenset({1, 2, 3, 4, 5, 6})
# Behind a cost that is not all of known prices.
UNPRICED = "*"


def cost_table(report: CostReport) -> list[Line]:
    """A heading, a line for each group, and their total."""
    heading = [_quiet(title) for title in (report.by.upper(), *TITLES)]
    cells = [_cells(line, _label(report.by, line.label)) for line in report.lines]
    total: list[Span] = [(text, "strong") for text, _ in _cells(report.total, "total")]
    rows: list[list[Span]] = [heading, *cells, total]
    if not report.total.subscription_requests:
        rows = [row[:-1] for row in rows]
    return align_columns(rows, flush_right=FLUSH_RIGHT)


def cost_notes(report: CostReport) -> list[Line]:
    """Sentences on what the figures cannot say; none when there is nothing to add."""
    total, notes = report.total, []
    if total.unpriced_usd:
        part = f"{UNPRICED} {money(total.unpriced_usd)} of it"
        notes.append(f"{part} is for models without a known price, counted at the dearest;")
        notes.append("  give them one in treadle.toml: [prices.MODEL]")
    if total.estimated_requests:
        notes.append(f"{total.estimated_requests} answers were cut short: their output is a guess.")
    if total.subscription_requests:
        notes.append("Requests of a subscription are not billed: they fill its usage windows.")
    return [(_quiet(note),) for note in notes]


def _cells(line: CostLine, label: str) -> list[Span]:
    usage = line.usage
    return [
        (label, "strong"),
        *(
            (_count(count), "plain")
            for count in (
                line.requests,
                usage.input_tokens,
                usage.output_tokens,
                usage.cache_write_tokens,
                usage.cache_read_tokens,
            )
        ),
        (_cost(line), "plain"),
        (_window_shares(line), "plain"),
    ]


def _count(number: int) -> str:
    """Four figures at most: a line must fit on a terminal, and --json has them all."""
    for size, name in ((1_000_000, "M"), (1_000, "k")):
        if number >= 10 * size:
            return f"{number / size:,.0f}{name}"
        if number >= size:
            return f"{number / size:.1f}{name}"
    return str(number)


def _cost(line: CostLine) -> str:
    if line.requests == line.subscription_requests:
        return "-"
    return money(line.cost_usd) + (UNPRICED if line.unpriced_usd else "")


def _window_shares(line: CostLine) -> str:
    if not line.subscription_requests:
        return "-"
    return ", ".join(f"{each.window} +{each.used:.0%}" for each in line.windows) or "not told"


def _label(by: CostGroup, label: str) -> str:
    if by == "run":
        return short_id(RunId(label))
    if by == "project":
        return PurePath(label).name or "unknown"
    return label or "unknown"


def _quiet(text: str) -> Span:
    return text, "quiet"
