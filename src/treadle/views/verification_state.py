"""What Treadle has verified so far, folded from the log event by event. Pure."""

from dataclasses import dataclass, replace

from treadle.domain.approval import ApprovalId
from treadle.domain.check import BeforeOutcome, Check, Evidence
from treadle.domain.deliverable import Deliverable, with_valid_proof
from treadle.domain.events.all_events import Event
from treadle.domain.events.oversight import ApprovalAnswered, ApprovalAsked
from treadle.domain.events.verification import (
    CheckAdded,
    CheckFinished,
    ClaimRefused,
    DeliverableClaimed,
    EvidenceTouched,
    RegressionFound,
    SuiteFinished,
    TouchedFile,
)
from treadle.domain.events.work import DeliverableChanged
from treadle.views.deliverable_view import DeliverableView
from treadle.views.safe_text import fit

DeliverableViews = tuple[DeliverableView, ...]

# So much of a command stands behind a deliverable that it keeps from passing.
LONGEST_COMMAND = 40


@dataclass(frozen=True, slots=True)
class VerificationState:
    """The last word of each kind: later ones count."""

    # Files that judge the work and were changed by it, all rounds together.
    touched: tuple[TouchedFile, ...] = ()
    # The test command on the work; its run before the work is no result.
    suite: SuiteFinished | None = None
    # Whether this round has claimed anything: then its checks run once its session is over.
    claims: bool = False
    # What the check that was added last stands in the place of.
    replaced: Check | None = None
    # The question whether tests may fail, and who said last that they may.
    asked: ApprovalId | None = None
    accepted_by: str = ""
    # Ids of what was refused because criteria have no check.
    unchecked: frozenset[str] = frozenset()


def apply_verification_event(
    verified: VerificationState, standings: DeliverableViews, event: Event
) -> tuple[VerificationState, DeliverableViews]:
    """Both with one more event in them; events about something else change nothing."""
    match event:
        case DeliverableClaimed():
            return replace(verified, claims=True), standings
        case ClaimRefused(id=name, unchecked=unchecked):
            known = verified.unchecked | {name} if unchecked else verified.unchecked
            return replace(verified, unchecked=known), standings
        case EvidenceTouched():
            return replace(verified, touched=event.files), standings
        case SuiteFinished(evidence=evidence):
            return (verified if evidence.when == "before" else replace(verified, suite=event)), (
                standings
            )
        case ApprovalAsked() | ApprovalAnswered():
            return _apply_approval(verified, event), standings
        case CheckAdded() | CheckFinished() | RegressionFound():
            of = next((each for each in standings if each.id == event.deliverable), None)
            return _record_replaced_check(verified, of, event), (
                standings
                if of is None
                else put_deliverable(standings, _apply_check_event(of, event))
            )
        case _:
            return verified, standings


def _record_replaced_check(
    verified: VerificationState, of: DeliverableView | None, event: Event
) -> VerificationState:
    if not isinstance(event, CheckAdded) or of is None:
        return verified
    had = (each for each in of.checks if each.criterion == event.check.criterion)
    return replace(verified, replaced=next(had, None))


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


def put_deliverable(standings: DeliverableViews, standing: DeliverableView) -> DeliverableViews:
    """The list with this one in its place, or at the end if it is new."""
    if not any(each.id == standing.id for each in standings):
        return (*standings, standing)
    return tuple(standing if each.id == standing.id else each for each in standings)


def apply_status_change(standings: DeliverableViews, event: DeliverableChanged) -> DeliverableViews:
    """What is known of the deliverable stays; what was against it is over when it passes."""
    known = next((each for each in standings if each.id == event.id), None)
    standing = replace(
        known or DeliverableView(event.id, event.description),
        description=event.description,
        status=event.status,
        proof=event.proof,
    )
    if event.status == "passed":
        standing = replace(standing, trouble="")
    return put_deliverable(standings, standing)


def _apply_check_event(
    standing: DeliverableView, event: CheckAdded | CheckFinished | RegressionFound
) -> DeliverableView:
    match event:
        case CheckAdded(check=check):
            others = tuple(c for c in standing.checks if c.criterion != check.criterion)
            return _limit_proof(replace(standing, checks=(*others, check)))
        case CheckFinished(evidence=evidence) if evidence.when == "before":
            return _apply_result_before(standing, event)
        case CheckFinished(evidence=evidence):
            return _apply_result_after(standing, evidence)
        case RegressionFound(round=None):
            return replace(standing, trouble="broken again")
        case RegressionFound():
            return replace(standing, trouble=f"broken in round {event.round}")


def _apply_result_after(standing: DeliverableView, evidence: Evidence) -> DeliverableView:
    """A check that is red is held against it, until that very check is green."""
    if evidence.when not in ("after", "again"):
        return standing
    told = f"red: {fit(evidence.command, LONGEST_COMMAND)}"
    if not evidence.is_green:
        return replace(standing, trouble=told)
    return replace(standing, trouble="") if standing.trouble == told else standing


def _apply_result_before(standing: DeliverableView, event: CheckFinished) -> DeliverableView:
    before: BeforeOutcome = "passed" if event.evidence.is_green else "failed"

    def seen(check: Check) -> Check:
        same = check.criterion == event.criterion and check.command == event.evidence.command
        return replace(check, before=before) if same else check

    return _limit_proof(replace(standing, checks=tuple(seen(check) for check in standing.checks)))


def _limit_proof(standing: DeliverableView) -> DeliverableView:
    """With no more proof than its checks can give, as the board of the run has it."""
    known = Deliverable(
        standing.id,
        standing.description,
        standing.criteria,
        standing.status,
        checks=standing.checks,
        proof=standing.proof,
    )
    return replace(standing, proof=with_valid_proof(known).proof)
