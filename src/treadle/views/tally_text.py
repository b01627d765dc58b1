"""How many deliverables passed, and how that is known, in words. Loads no events."""

from collections.abc import Sequence

from treadle.domain.check import GRADES, Check, CheckOrigin, Grade
from treadle.domain.deliverable import Deliverable, Tally

# How the author of a judge is named behind `proven by`.
AUTHORS: dict[CheckOrigin, str] = {
    "spec": "the specification",
    "person": "your check",
    "agent": "the agent's check",
}


def tally_text(tally: Tally, grades: Sequence[Grade] = ()) -> str:
    """`3 of 4 passed (1 proven, 2 claimed), 1 blocked`; `grades` are those of the passed ones."""
    if not tally.total:
        return "none yet"
    parts = [f"{tally.passed} of {tally.total} passed" + _grades_text(tally.passed, grades)]
    if tally.blocked:
        parts.append(f"{tally.blocked} blocked")
    if tally.pending:
        parts.append(f"{tally.pending} pending")
    return ", ".join(parts)


def _grades_text(passed: int, grades: Sequence[Grade]) -> str:
    if not passed:
        return ""
    counts = {grade: grades.count(grade) for grade in reversed(GRADES)}
    # A log of an earlier version may not tell the grade of every pass.
    counts["claimed"] += max(0, passed - len(grades))
    present = [(grade, count) for grade, count in counts.items() if count]
    if len(present) == 1:
        return f" ({present[0][0]})"
    return f" ({', '.join(f'{count} {grade}' for grade, count in present)})"


def proof_of(deliverable: Deliverable) -> Grade | None:
    """The grade of a pass in status.json: claimed until Treadle has verified it."""
    return deliverable.proof or "claimed" if deliverable.status == "passed" else None


def grade_text(grade: Grade, criteria: Sequence[str], checks: Sequence[Check], why: str) -> str:
    """The grade, with the author of the judge or the reason why it is not higher."""
    if grade == "proven":
        authors = dict.fromkeys(AUTHORS[check.origin] for check in checks)
        return f"proven by {' and '.join(authors)}" if authors else "proven"
    found = why_claimed(criteria, checks) if grade == "claimed" else why_self_tested(checks)
    reason = why or found
    return f"{grade}: {reason}" if reason else grade


def why_self_tested(checks: Sequence[Check]) -> str:
    """Why the first check below proven is not proven; empty if that is unknown."""
    below = [check for check in checks if check.grade == "self-tested"]
    if not below:
        return ""
    return below[0].why or ("the agent wrote the check" if below[0].origin == "agent" else "")


def why_claimed(criteria: Sequence[str], checks: Sequence[Check]) -> str:
    """The most serious reason why a pass is only claimed; empty if that is unknown."""
    if not criteria:
        return ""
    checked = {check.criterion for check in checks}
    unchecked = sum(criterion not in checked for criterion in criteria)
    if unchecked:
        return _unchecked_text(unchecked, len(criteria))
    vacuous = sum(check.is_vacuous for check in checks)
    if vacuous:
        return f"{_checks_text(vacuous, len(checks))} passed before the work"
    unseen = [check for check in checks if not check.before]
    if unseen:
        if reason := next((check.why for check in unseen if check.why), ""):
            return reason
        verb = "was" if len(unseen) == 1 else "were"
        return f"{_checks_text(len(unseen), len(checks))} {verb} never seen to fail"
    return "its checks have not passed yet"


def _unchecked_text(count: int, total: int) -> str:
    if count < total:
        return f"{count} of {total} criteria {'has' if count == 1 else 'have'} no check"
    return "no check" if total == 1 else f"none of {total} criteria has a check"


def _checks_text(count: int, total: int) -> str:
    if total == 1:
        return "its check"
    return f"all {total} checks" if count == total else f"{count} of {total} checks"
