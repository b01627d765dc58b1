"""Increments as a table (`ls`) and in their order (`graph`). Loads no events."""

from collections.abc import Mapping, Sequence
from itertools import chain

from treadle.cli.terminal.styled_lines import Line, RenderOptions, Span, sentence
from treadle.cli.terminal.table import align_columns
from treadle.domain.increment import Increment, IncrementList, IncrementStatus
from treadle.views.increment_text import STATUS_STYLES, waiting_text

# Of a problem; a cycle of all increments has an end, too.
MOST_LINES = 12


def increment_table(
    found: IncrementList,
    statuses: Mapping[str, IncrementStatus],
    options: RenderOptions,
    *,
    cycle: Sequence[str],
) -> list[Line]:
    """A heading, one line for each increment, and why some cannot be used, in full."""
    rows: list[list[Span]] = []
    for each in found.increments:
        status = statuses[each.name]
        waits = waiting_text(each, statuses) if status == "waiting" else ""
        rows.append(
            [
                (each.name, "strong"),
                (status, STATUS_STYLES[status]),
                (each.title, "plain"),
                (waits, "quiet"),
            ]
        )
    heading: list[Span] = [(title, "quiet") for title in ("INCREMENT", "STATUS", "TITLE", "")]
    lines = align_columns([heading, *rows]) if rows else []
    problems = [f"{each.name}: {each.message}" for each in found.problems]
    if cycle:
        problems.append(f"they depend on each other: {' → '.join(cycle)}")
    wrapped = (sentence(each, style="bad", options=options, most=MOST_LINES) for each in problems)
    return [*lines, *chain.from_iterable(wrapped)]


def increment_graph(
    increments: Sequence[Increment], statuses: Mapping[str, IncrementStatus]
) -> list[Line]:
    """One line for each, in the given order, with those that must be done before it."""
    lines: list[Line] = []
    for each in increments:
        status = statuses[each.name]
        needed = f"  ← {', '.join(each.depends_on)}" if each.depends_on else ""
        status_span = (status, STATUS_STYLES[status])
        lines.append(((f"{each.name}  ", "strong"), status_span, (needed, "plain")))
    return lines
