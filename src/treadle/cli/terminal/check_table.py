"""What `treadle check list` shows: criteria by number, and the commands that show them. Thin."""

from collections.abc import Iterator, Sequence

from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.standing import deliverable_line, standing_of
from treadle.cli.terminal.view import Line, View, paragraph
from treadle.domain.check import Before, Check, Origin
from treadle.domain.deliverable import Deliverable

TEXT_LINES = 3

CLAIMED = "it can only be claimed"
REFUSED = "a pass is refused without one"

ORIGINS: dict[Origin, str] = {
    "spec": "from the specification",
    "agent": "by the agent",
    "person": "by a person",
}
SEEN: dict[Before, tuple[str, Style]] = {
    "": ("not seen before the work", "quiet"),
    "failed": ("failed before the work", "quiet"),
    "passed": ("passed before the work, so it shows nothing", "warning"),
}


def check_table(
    deliverables: Sequence[Deliverable], view: View, *, without: str = CLAIMED
) -> list[Line]:
    """Every deliverable with its criteria; a number names a criterion to the other commands.
    `without` says what it means for one to have no check."""
    lines: list[Line] = []
    for deliverable in deliverables:
        lines.append(deliverable_line(standing_of(deliverable), view, indent=""))
        checks = {check.criterion: check for check in deliverable.checks}
        for number, criterion in enumerate(deliverable.acceptance_criteria, 1):
            check = checks.get(criterion)
            lines += _criterion(number, criterion, check or without, view)
    return lines


def _criterion(number: int, text: str, check: Check | str, view: View) -> Iterator[Line]:
    mark = f"  {number}  "
    for n, line in enumerate(
        paragraph(text, style="plain", view=view, most=TEXT_LINES, indent=" " * len(mark))
    ):
        yield ((mark, "strong"), *line[1:]) if n == 0 else line
    if isinstance(check, str):
        yield ((f"{' ' * len(mark)}no check: {check}", "quiet"),)
        return
    yield ((f"{' ' * len(mark)}$ ", "quiet"), (check.command, "strong"))
    seen, style = SEEN[check.before]
    yield ((f"{' ' * len(mark)}{ORIGINS[check.origin]}, ", "quiet"), (seen, style))
