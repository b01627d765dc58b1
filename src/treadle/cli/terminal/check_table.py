"""The table of `treadle check list`: criteria by number, each with its check. Loads no events."""

from collections.abc import Iterator, Sequence

from treadle.cli.terminal.deliverable_line import deliverable_lines
from treadle.cli.terminal.styled_lines import Line, RenderOptions, paragraph
from treadle.domain.check import Check
from treadle.domain.deliverable import Deliverable
from treadle.views.check_text import BEFORE_OUTCOMES, ORIGINS, WITHOUT_CHECK_CLAIMED
from treadle.views.deliverable_view import make_deliverable_view

TEXT_LINES = 3


def check_table(
    deliverables: Sequence[Deliverable],
    options: RenderOptions,
    *,
    without: str = WITHOUT_CHECK_CLAIMED,
) -> list[Line]:
    """Every deliverable with its criteria; a number names a criterion to the other commands.
    `without` says what a missing check means."""
    lines: list[Line] = []
    for deliverable in deliverables:
        lines += deliverable_lines(make_deliverable_view(deliverable), options, indent="")
        checks = {check.criterion: check for check in deliverable.checks}
        for number, criterion in enumerate(deliverable.acceptance_criteria, 1):
            check = checks.get(criterion)
            lines += _criterion_lines(number, criterion, check or without, options)
    return lines


def _criterion_lines(
    number: int, text: str, check: Check | str, options: RenderOptions
) -> Iterator[Line]:
    mark = f"  {number}  "
    for n, line in enumerate(
        paragraph(text, style="plain", options=options, most=TEXT_LINES, indent=" " * len(mark))
    ):
        yield ((mark, "strong"), *line[1:]) if n == 0 else line
    if isinstance(check, str):
        yield ((f"{' ' * len(mark)}no check: {check}", "quiet"),)
        return
    yield ((f"{' ' * len(mark)}$ ", "quiet"), (check.command, "strong"))
    before, style = BEFORE_OUTCOMES[check.before]
    yield ((f"{' ' * len(mark)}{ORIGINS[check.origin]}, ", "quiet"), (before, style))
