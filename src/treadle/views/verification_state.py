"""What Treadle has verified so far, folded from the log event by event. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from treadle.domain.approval import ApprovalId
from treadle.domain.check import Check
from treadle.domain.events.all_events import Event
from treadle.domain.events.oversight import ApprovalAnswered, ApprovalAsked
from treadle.domain.events.verification import (
    CheckAdded,
    ClaimRefused,
    DeliverableClaimed,
    EvidenceTouched,
    SuiteFinished,
    SuiteGraded,
    TouchedFile,
)
from treadle.views.deliverable_state import DeliverableViews, find_deliverable

# Files that are named as weaker.
MAX_WEAKENED = 5


@dataclass(frozen=True, slots=True)
class VerificationState:
    """The last result of each kind."""

    # Files that decide about the work and were changed by it, all rounds together.
    touched: tuple[TouchedFile, ...] = ()
    # The last run of the tests on the work; a run before the work does not count.
    suite: SuiteFinished | None = None
    # The grade of the tests on the work.
    suite_grade: SuiteGraded | None = None
    # The percent of coverage before the work, if it was reported.
    coverage_before: float | None = None
    # Tests that the work made weaker, one text each.
    weakened: tuple[str, ...] = ()
    # Whether this round has claimed anything: its checks run when its session has ended.
    claims: bool = False
    # The check that the last added one replaced.
    replaced: Check | None = None
    # The question whether tests may fail, and who last approved it.
    asked: ApprovalId | None = None
    accepted_by: str = ""
    # Ids of deliverables whose claim was refused because a criterion has no check.
    unchecked: frozenset[str] = frozenset()


def apply_verification_event(
    verified: VerificationState, event: Event, *, deliverables: DeliverableViews
) -> VerificationState:
    """The state after one more event; `deliverables` are those before it."""
    match event:
        case DeliverableClaimed():
            return replace(verified, claims=True)
        case ClaimRefused(id=name, unchecked=unchecked):
            return (
                replace(verified, unchecked=verified.unchecked | {name}) if unchecked else verified
            )
        case EvidenceTouched():
            return replace(verified, touched=event.files, weakened=_weakened(event.files))
        case SuiteFinished() | SuiteGraded():
            return _apply_suite(verified, event)
        case ApprovalAsked() | ApprovalAnswered():
            return _apply_approval(verified, event)
        case CheckAdded():
            return _record_replaced_check(verified, event, deliverables)
        case _:
            return verified


def _apply_suite(
    verified: VerificationState, event: SuiteFinished | SuiteGraded
) -> VerificationState:
    """Tests of the base decide the grade, not what is shown of the work."""
    match event:
        case SuiteGraded():
            return replace(verified, suite_grade=event)
        case SuiteFinished(evidence=evidence) if evidence.when == "before":
            return replace(verified, coverage_before=event.coverage)
        case SuiteFinished(evidence=evidence) if evidence.when == "pinned":
            return verified
        case SuiteFinished():
            return replace(verified, suite=event)


def _weakened(files: Sequence[TouchedFile]) -> tuple[str, ...]:
    """A line for each test file that got weaker; of many, the first."""
    lines = [f"{each.path}: {each.weaker}" for each in files if each.weaker]
    if len(lines) <= MAX_WEAKENED:
        return tuple(lines)
    more = len(lines) - MAX_WEAKENED + 1
    return (*lines[: MAX_WEAKENED - 1], f"{more} more test files made weaker")


def _record_replaced_check(
    verified: VerificationState, event: CheckAdded, deliverables: DeliverableViews
) -> VerificationState:
    known = find_deliverable(deliverables, event.deliverable)
    if known is None:
        return verified
    replaced = (check for check in known.checks if check.criterion == event.check.criterion)
    return replace(verified, replaced=next(replaced, None))


def _apply_approval(
    verified: VerificationState, event: ApprovalAsked | ApprovalAnswered
) -> VerificationState:
    match event:
        case ApprovalAsked(approval=approval):
            is_ours = approval.kind == "failing_tests"
            return replace(verified, asked=approval.id) if is_ours else verified
        case ApprovalAnswered(approval=asked, verdict="approved") if asked == verified.asked:
            return replace(verified, accepted_by=event.by)
        case _:
            return verified
