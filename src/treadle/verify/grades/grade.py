"""Decides grades of criteria, deliverables and runs: who says that the work is done? Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from treadle.domain.check import (
    Check,
    CheckOrigin,
    PinnedOutcome,
    RequiredGrade,
    lowest_grade,
    reaches,
)
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.verification import CriterionGrade, DeliverableGraded
from treadle.verify.grades.suite_grade import SuiteGrade

NO_CHECK = "no check"
NO_ACCESS_TIMES = "the file system keeps no access times, so what the check read is not known"
AGENT_CHECK = "the agent wrote the check"
_AND = ", and "


@dataclass(frozen=True, slots=True)
class PinnedResult:
    """How a check ended on the pinned tree, and why that proves nothing."""

    outcome: PinnedOutcome
    why: str = ""


def claimed_criteria(deliverable: Deliverable) -> tuple[str, ...]:
    """The criteria without a check."""
    checked = {check.criterion for check in deliverable.checks}
    return tuple(text for text in deliverable.acceptance_criteria if text not in checked)


def needs_pinned_run(check: Check) -> bool:
    """Whether the pinned tree matters: a check that was not red before the work proves nothing."""
    return check.before == "failed"


def grade_criterion(check: Check, pinned: PinnedResult) -> CriterionGrade:
    """The grade of a criterion whose check is green on the work."""
    graded = replace(check, pinned=pinned.outcome)
    match graded.grade:
        case "claimed" if check.before == "passed":
            return CriterionGrade(
                check.criterion, "claimed", why="its check passed before the work"
            )
        case "claimed":
            why = check.why or "its check was not seen to fail before the work"
            return CriterionGrade(check.criterion, "claimed", why=why)
        case "self-tested":
            reasons = (AGENT_CHECK if check.origin == "agent" else "", pinned.why)
            why = _AND.join(filter(None, reasons))
            return CriterionGrade(check.criterion, "self-tested", "agent", pinned.outcome, why)
        case "proven":
            return CriterionGrade(check.criterion, "proven", check.origin, pinned.outcome)


def without_author(why: str) -> str:
    """What stands against a criterion besides that the agent wrote its check; else empty."""
    return why.removeprefix(AGENT_CHECK).removeprefix(_AND)


def grade_deliverable(
    deliverable: Deliverable, checked: Sequence[CriterionGrade], suite: SuiteGrade | None
) -> DeliverableGraded:
    """The grade of a deliverable by the grades of its checks, lowered by tests that contradict."""
    by_criterion = {each.criterion: each for each in checked}
    criteria = tuple(
        by_criterion.get(text) or CriterionGrade(text, "claimed", why=NO_CHECK)
        for text in dict.fromkeys(deliverable.acceptance_criteria)
    )
    grade = lowest_grade(each.grade for each in criteria)
    if grade == "proven" and suite is not None and suite.failing:
        return DeliverableGraded(deliverable.id, "self-tested", criteria, suite.why)
    return DeliverableGraded(deliverable.id, grade, criteria)


def with_grades(deliverable: Deliverable, graded: DeliverableGraded) -> Deliverable:
    """The deliverable with the results of its checks on the pinned tree."""
    checks = graded.with_grades(deliverable.checks)
    proof = graded.grade if deliverable.status == "passed" else deliverable.proof
    return replace(deliverable, checks=checks, proof=proof, why=graded.why)


def lower_grades(deliverable: Deliverable, graded: DeliverableGraded) -> DeliverableGraded:
    """The new grades where they are lower than those that the deliverable has."""
    known = {check.criterion: check for check in deliverable.checks}
    criteria = tuple(
        _kept_grade(known[each.criterion], each) if each.criterion in known else each
        for each in graded.criteria
    )
    grade = lowest_grade((deliverable.proof or "claimed", graded.grade))
    return replace(graded, grade=grade, criteria=criteria, why=graded.why or deliverable.why)


def _kept_grade(check: Check, new: CriterionGrade) -> CriterionGrade:
    if new.pinned == "failed":
        return new
    return CriterionGrade(check.criterion, check.grade, _judge_of(check), check.pinned, check.why)


def _judge_of(check: Check) -> CheckOrigin | Literal[""]:
    """Who wrote what judges the criterion; empty if nobody but the agent says that it holds."""
    match check.grade:
        case "claimed":
            return ""
        case "self-tested":
            return "agent"
        case "proven":
            return check.origin


def shortfall(
    deliverables: Sequence[Deliverable], suite: SuiteGrade | None, required: RequiredGrade
) -> str:
    """Why a run may not succeed, in one line: the first grade below the required one.

    Criteria without a check, and those whose check passed before the work, do not count: a person
    looks at them. Nor does what a person passed.
    """
    for deliverable in deliverables:
        if deliverable.status != "passed" or deliverable.claim is None:
            continue
        checks = [check for check in deliverable.checks if not check.is_vacuous]
        below = next((check for check in checks if not reaches(check.grade, required)), None)
        if below is not None:
            return _shortfall_text(f"{deliverable.id} is {below.grade}", below.why, required)
        if deliverable.why and not reaches(deliverable.proof or "claimed", required):
            subject = f"{deliverable.id} is {deliverable.proof}"
            return _shortfall_text(subject, deliverable.why, required)
    if suite is not None and not suite.is_empty and not reaches(suite.grade, required):
        return _shortfall_text(f"the test command is {suite.grade}", suite.why, required)
    return ""


def _shortfall_text(subject: str, why: str, required: RequiredGrade) -> str:
    because = f" ({why})" if why else ""
    return f"{subject}{because}, and verify.require asks for {required}"
