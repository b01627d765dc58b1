"""The deliverables in `treadle show`: criteria, their checks and the last results."""

from collections.abc import Sequence

from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.styled_lines import Line, RenderOptions
from treadle.domain.check import Check, Evidence
from treadle.domain.events.verification import CheckFinished
from treadle.views.deliverable_view import DeliverableView, deliverable_line
from treadle.views.duration import duration
from treadle.views.figures import short_commit
from treadle.views.safe_text import fit
from treadle.views.verification_text import exit_text


def criteria_lines(
    standings: Sequence[DeliverableView], finished: Sequence[CheckFinished], view: RenderOptions
) -> list[Line]:
    """A line per deliverable; where one has checks, its criteria beneath it."""
    # A command that was green on a commit is not run there again for another criterion.
    last = {each.evidence.command: each.evidence for each in finished}
    lines: list[Line] = []
    for standing in standings:
        lines.append(deliverable_line(standing, view))
        if standing.checks:
            lines += _criterion_lines(standing, last, view)
    return lines


def _criterion_lines(
    standing: DeliverableView, last: dict[str, Evidence], view: RenderOptions
) -> list[Line]:
    checks = {check.criterion: check for check in standing.checks}
    lines: list[Line] = []
    for criterion in standing.criteria:
        check = checks.get(criterion)
        fact, mark, style = _result(check, last.get(check.command) if check else None)
        room = max(8, view.width - len(f"    {mark}  · {fact}"))
        lines.append(
            ((f"    {mark} ", style), (fit(criterion, room), "plain"), (f" · {fact}", "quiet"))
        )
        if check is not None:
            lines.append((("      $ ", "quiet"), (check.command, "plain")))
    return lines


def _result(check: Check | None, evidence: Evidence | None) -> tuple[str, str, Style]:
    """What is known of a criterion, with its mark and colour."""
    if check is None:
        return "no check", "-", "quiet"
    if evidence is None:
        return "its check has not run on the work", "-", "quiet"
    if not evidence.is_green:
        return exit_text(evidence), "✘", "bad"
    where = f"{duration(evidence.duration_s)} at {short_commit(evidence.commit)}"
    if check.is_vacuous:
        return f"{where}, but it passed before the work as well", "!", "warning"
    return where, "✔", "good"
