"""The deliverables in `treadle show`: criteria, their checks and the last results."""

from collections.abc import Sequence

from treadle.cli.terminal.deliverable_line import (
    LEAST_DESCRIPTION,
    REASON_LINES,
    SHORTEST_DESCRIPTION,
    deliverable_lines,
)
from treadle.cli.terminal.styled_lines import Line, RenderOptions, sentence
from treadle.domain.check import Evidence
from treadle.domain.events.verification import CheckFinished
from treadle.views.check_text import criterion_result
from treadle.views.deliverable_view import DeliverableView
from treadle.views.safe_text import fit, width_of


def criteria_lines(
    deliverables: Sequence[DeliverableView],
    finished: Sequence[CheckFinished],
    options: RenderOptions,
) -> list[Line]:
    """A line per deliverable; the criteria below it if it has checks."""
    # By command: a green command is not run again on the same commit for another criterion.
    last = {each.evidence.command: each.evidence for each in finished}
    lines: list[Line] = []
    for deliverable in deliverables:
        lines += deliverable_lines(deliverable, options)
        if deliverable.checks:
            lines += _criterion_lines(deliverable, last, options)
    return lines


def _criterion_lines(
    deliverable: DeliverableView, last: dict[str, Evidence], options: RenderOptions
) -> list[Line]:
    checks = {check.criterion: check for check in deliverable.checks}
    lines: list[Line] = []
    for criterion in deliverable.criteria:
        check = checks.get(criterion)
        fact, mark, style = criterion_result(check, last.get(check.command) if check else None)
        result, _, reason = fact.partition(": ")
        # A long reason has lines of its own.
        is_long = width_of(f"    {mark}  · {fact}") > options.width - LEAST_DESCRIPTION
        shown = f"{result}:" if reason and is_long else fact
        room = max(SHORTEST_DESCRIPTION, options.width - width_of(f"    {mark}  · {shown}"))
        lines.append(
            ((f"    {mark} ", style), (fit(criterion, room), "plain"), (f" · {shown}", "quiet"))
        )
        if shown is not fact:
            lines += sentence(
                reason, style="quiet", options=options, most=REASON_LINES, indent=" " * 6
            )
        if check is not None:
            lines.append((("      $ ", "quiet"), (check.command, "plain")))
    return lines
