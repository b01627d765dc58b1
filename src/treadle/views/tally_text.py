"""How many deliverables passed, and how that is known, in words. Loads no events."""

from collections.abc import Sequence

from treadle.domain.check import Check, Grade
from treadle.domain.deliverable import Deliverable, Tally


def tally_text(tally: Tally, *, proven: int = 0) -> str:
    """`2 of 3 passed (1 proven, 1 claimed), 1 blocked`; `proven` are those of the passed ones."""
    if not tally.total:
        return "none yet"
    parts = [f"{tally.passed} of {tally.total} passed" + _proof_text(tally.passed, proven)]
    if tally.blocked:
        parts.append(f"{tally.blocked} blocked")
    if tally.pending:
        parts.append(f"{tally.pending} pending")
    return ", ".join(parts)


def _proof_text(passed: int, proven: int) -> str:
    if not passed:
        return ""
    claimed = max(0, passed - proven)
    if not proven:
        return " (claimed)"
    return f" ({proven} proven, {claimed} claimed)" if claimed else " (proven)"


def proof_of(deliverable: Deliverable) -> Grade | None:
    """How a pass in status.json is known: a claim until Treadle has proven it."""
    return deliverable.proof or "claimed" if deliverable.status == "passed" else None


def why_claimed(criteria: Sequence[str], checks: Sequence[Check]) -> str:
    """The most serious reason why a pass is not proven; empty if that is unknown."""
    if not criteria:
        return ""
    checked = {check.criterion for check in checks}
    unchecked = sum(criterion not in checked for criterion in criteria)
    if unchecked:
        return _unchecked_text(unchecked, len(criteria))
    vacuous = sum(check.is_vacuous for check in checks)
    if vacuous:
        return f"{_checks_text(vacuous, len(checks))} passed before the work"
    unseen = sum(not check.before for check in checks)
    if unseen:
        verb = "was" if unseen == 1 else "were"
        return f"{_checks_text(unseen, len(checks))} {verb} never seen to fail"
    return "its checks have not shown it yet"


def _unchecked_text(count: int, total: int) -> str:
    if count < total:
        return f"{count} of {total} criteria {'has' if count == 1 else 'have'} no check"
    return "no check" if total == 1 else f"none of {total} criteria has a check"


def _checks_text(count: int, total: int) -> str:
    if total == 1:
        return "its check"
    return f"all {total} checks" if count == total else f"{count} of {total} checks"
