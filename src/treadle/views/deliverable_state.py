"""The deliverables of a run, folded from its log event by event. Pure."""

from dataclasses import replace

from treadle.domain.check import Check, CheckTiming
from treadle.domain.deliverable import (
    Deliverable,
    as_pending,
    with_known_grades,
    with_valid_proof,
)
from treadle.domain.events.all_events import Event
from treadle.domain.events.verification import (
    CheckAdded,
    CheckFinished,
    DeliverableGraded,
    RegressionFound,
)
from treadle.domain.events.work import DeliverableChanged, DeliverableCreated, StatusAdopted
from treadle.views.deliverable_view import DeliverableView, make_deliverable_view
from treadle.views.safe_text import fit

DeliverableViews = tuple[DeliverableView, ...]

# A deliverable that does not pass shows this much of the command that failed.
LONGEST_COMMAND = 40

# Runs of a check on the work itself: not before it, and not in search of the round that broke it.
ON_THE_WORK: frozenset[CheckTiming] = frozenset({"after", "again"})


def apply_deliverable_event(deliverables: DeliverableViews, event: Event) -> DeliverableViews:
    """The deliverables after one more event; events about something else change nothing."""
    match event:
        case StatusAdopted(deliverables=adopted):
            return tuple(_adopted_deliverable(each) for each in adopted)
        case DeliverableCreated(deliverable=created):
            return _put(deliverables, make_deliverable_view(created))
        case DeliverableChanged():
            return _apply_status_change(deliverables, event)
        case DeliverableGraded():
            known = find_deliverable(deliverables, event.id)
            return deliverables if known is None else _put(deliverables, _with_grades(known, event))
        case CheckAdded() | CheckFinished() | RegressionFound():
            known = find_deliverable(deliverables, event.deliverable)
            if known is None:
                return deliverables
            return _put(deliverables, _apply_check_event(known, event))
        case _:
            return deliverables


def find_deliverable(deliverables: DeliverableViews, name: str) -> DeliverableView | None:
    return next((each for each in deliverables if each.id == name), None)


def _adopted_deliverable(deliverable: Deliverable) -> DeliverableView:
    """A pass without a claim was set by a person: it keeps its proof as it is."""
    view = make_deliverable_view(with_known_grades(deliverable))
    return view if deliverable.claim else replace(view, proof=deliverable.proof)


def _put(deliverables: DeliverableViews, deliverable: DeliverableView) -> DeliverableViews:
    """The list with this deliverable replaced, or added at the end if it is new."""
    if not any(each.id == deliverable.id for each in deliverables):
        return (*deliverables, deliverable)
    return tuple(deliverable if each.id == deliverable.id else each for each in deliverables)


def _apply_status_change(
    deliverables: DeliverableViews, event: DeliverableChanged
) -> DeliverableViews:
    """The list with the new status; a pass clears the trouble of the deliverable, and what is
    pending again has no grade."""
    known = find_deliverable(deliverables, event.id)
    deliverable = replace(
        known or DeliverableView(event.id, event.description),
        description=event.description,
        status=event.status,
        proof=event.proof,
    )
    if event.status == "passed":
        checks = with_known_grades(_without_view(deliverable)).checks
        deliverable = replace(deliverable, checks=checks, trouble="")
    elif event.status != event.previous:
        checks = as_pending(_without_view(deliverable)).checks
        deliverable = replace(deliverable, checks=checks, why="")
    return _put(deliverables, deliverable)


def _apply_check_event(
    deliverable: DeliverableView, event: CheckAdded | CheckFinished | RegressionFound
) -> DeliverableView:
    match event:
        case CheckAdded(check=check):
            others = tuple(c for c in deliverable.checks if c.criterion != check.criterion)
            return _limit_proof(replace(deliverable, checks=(*others, check)))
        case CheckFinished(evidence=evidence) if evidence.when == "before":
            return _apply_result_before(deliverable, event)
        case CheckFinished():
            return _apply_result_after(deliverable, event)
        case RegressionFound(round=None):
            return replace(deliverable, trouble="broken again")
        case RegressionFound():
            return replace(deliverable, trouble=f"broken in round {event.round}")


def _apply_result_after(deliverable: DeliverableView, event: CheckFinished) -> DeliverableView:
    """A red check is the trouble of its deliverable until the same check is green."""
    evidence = event.evidence
    if evidence.when not in ON_THE_WORK:
        return deliverable
    trouble = f"fails: {fit(evidence.command, LONGEST_COMMAND)}"
    if not event.is_green:
        return replace(deliverable, trouble=trouble)
    return replace(deliverable, trouble="") if deliverable.trouble == trouble else deliverable


def _apply_result_before(deliverable: DeliverableView, event: CheckFinished) -> DeliverableView:
    def with_before(check: Check) -> Check:
        same = check.criterion == event.criterion and check.command == event.evidence.command
        return event.with_outcome_before(check) if same else check

    return _limit_proof(
        replace(deliverable, checks=tuple(with_before(check) for check in deliverable.checks))
    )


def _with_grades(deliverable: DeliverableView, event: DeliverableGraded) -> DeliverableView:
    """The deliverable with the results of its checks on the pinned tree, and its grade."""
    checks = event.with_grades(deliverable.checks)
    proof = event.grade if deliverable.status == "passed" else deliverable.proof
    return _limit_proof(replace(deliverable, checks=checks, proof=proof, why=event.why))


def _limit_proof(deliverable: DeliverableView) -> DeliverableView:
    """The deliverable with no higher grade than its checks give, as the run itself has it."""
    return replace(deliverable, proof=with_valid_proof(_without_view(deliverable)).proof)


def _without_view(deliverable: DeliverableView) -> Deliverable:
    return Deliverable(
        deliverable.id,
        deliverable.description,
        deliverable.criteria,
        deliverable.status,
        checks=deliverable.checks,
        proof=deliverable.proof,
        why=deliverable.why,
    )
