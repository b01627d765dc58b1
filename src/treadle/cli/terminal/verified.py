"""What Treadle itself has found out about the work so far, folded out of the log for the screen."""

from dataclasses import dataclass, replace

from treadle.cli.terminal.standing import Standing
from treadle.cli.terminal.text import fit
from treadle.domain.approval import ApprovalId
from treadle.domain.check import Before, Check, Evidence
from treadle.domain.deliverable import Deliverable, with_honest_proof
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
    Touched,
)
from treadle.domain.events.work import DeliverableChanged

Standings = tuple[Standing, ...]

# So much of a command stands behind a deliverable that it keeps from passing.
COMMAND = 40


@dataclass(frozen=True, slots=True)
class Verified:
    """The last word of each kind: later ones count."""

    # Files that judge the work and were changed by it, all rounds together.
    touched: tuple[Touched, ...] = ()
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


def see(verified: Verified, standings: Standings, event: Event) -> tuple[Verified, Standings]:
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
            return _answered(verified, event), standings
        case CheckAdded() | CheckFinished() | RegressionFound():
            of = next((each for each in standings if each.id == event.deliverable), None)
            return _replacing(verified, of, event), (
                standings if of is None else stand(standings, _checked(of, event))
            )
        case _:
            return verified, standings


def _replacing(verified: Verified, of: Standing | None, event: Event) -> Verified:
    if not isinstance(event, CheckAdded) or of is None:
        return verified
    had = (each for each in of.checks if each.criterion == event.check.criterion)
    return replace(verified, replaced=next(had, None))


def _answered(verified: Verified, event: ApprovalAsked | ApprovalAnswered) -> Verified:
    match event:
        case ApprovalAsked(approval=approval):
            is_ours = approval.kind == "failing_tests"
            return replace(verified, asked=approval.id) if is_ours else verified
        case ApprovalAnswered(approval=asked, verdict="approved") if asked == verified.asked:
            return replace(verified, accepted_by=event.by)
        case _:
            return verified


def stand(standings: Standings, standing: Standing) -> Standings:
    """The list with this one in its place, or at the end if it is new."""
    if not any(each.id == standing.id for each in standings):
        return (*standings, standing)
    return tuple(standing if each.id == standing.id else each for each in standings)


def changed(standings: Standings, event: DeliverableChanged) -> Standings:
    """What is known of the deliverable stays; what was against it is over when it passes."""
    known = next((each for each in standings if each.id == event.id), None)
    standing = replace(
        known or Standing(event.id, event.description),
        description=event.description,
        status=event.status,
        proof=event.proof,
    )
    if event.status == "passed":
        standing = replace(standing, trouble="")
    return stand(standings, standing)


def _checked(standing: Standing, event: CheckAdded | CheckFinished | RegressionFound) -> Standing:
    match event:
        case CheckAdded(check=check):
            others = tuple(c for c in standing.checks if c.criterion != check.criterion)
            return _honest(replace(standing, checks=(*others, check)))
        case CheckFinished(evidence=evidence) if evidence.when == "before":
            return _seen_before(standing, event)
        case CheckFinished(evidence=evidence):
            return _after(standing, evidence)
        case RegressionFound(round=None):
            return replace(standing, trouble="broken again")
        case RegressionFound():
            return replace(standing, trouble=f"broken in round {event.round}")


def _after(standing: Standing, evidence: Evidence) -> Standing:
    """A check that is red is held against it, until that very check is green."""
    if evidence.when not in ("after", "again"):
        return standing
    told = f"red: {fit(evidence.command, COMMAND)}"
    if not evidence.is_green:
        return replace(standing, trouble=told)
    return replace(standing, trouble="") if standing.trouble == told else standing


def _seen_before(standing: Standing, event: CheckFinished) -> Standing:
    before: Before = "passed" if event.evidence.is_green else "failed"

    def seen(check: Check) -> Check:
        same = check.criterion == event.criterion and check.command == event.evidence.command
        return replace(check, before=before) if same else check

    return _honest(replace(standing, checks=tuple(seen(check) for check in standing.checks)))


def _honest(standing: Standing) -> Standing:
    """With no more proof than its checks can give, as the board of the run has it."""
    known = Deliverable(
        standing.id,
        standing.description,
        standing.criteria,
        standing.status,
        checks=standing.checks,
        proof=standing.proof,
    )
    return replace(standing, proof=with_honest_proof(known).proof)
