"""The deliverables of a run from its log. Pure."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar, assert_never

from treadle.domain.check import Check
from treadle.domain.deliverable import (
    Claim,
    Deliverable,
    as_pending,
    with_known_grades,
    with_valid_proof,
)
from treadle.domain.events.verification import (
    CheckAdded,
    CheckFinished,
    DeliverableClaimed,
    DeliverableGraded,
)
from treadle.domain.events.work import DeliverableChanged, DeliverableCreated, StatusAdopted
from treadle.verify.grades.grade import with_grades

DeliverableEvent: TypeAlias = (
    DeliverableCreated
    | DeliverableChanged
    | DeliverableClaimed
    | StatusAdopted
    | CheckAdded
    | CheckFinished
    | DeliverableGraded
)


@dataclass(frozen=True, slots=True)
class DeliverableHistory:
    """The deliverables of a run and the changes that its log holds."""

    deliverables: tuple[Deliverable, ...] = ()
    # status.json may lack these: a change is stored first and written then.
    changes: tuple[DeliverableChanged, ...] = ()
    added_checks: tuple[CheckAdded, ...] = ()
    # By id, in order: passed or claimed in the current round; and those of them whose claim is
    # neither verified nor withdrawn.
    passed_this_round: tuple[str, ...] = ()
    claimed_this_round: tuple[str, ...] = ()


History = TypeVar("History", bound=DeliverableHistory)


def apply_deliverable(history: History, event: DeliverableEvent) -> History:
    """The history with one more event."""
    match event:
        case StatusAdopted():
            adopted = tuple(_with_claimed_proof(d) for d in event.deliverables)
            return replace(history, deliverables=adopted, added_checks=())
        case DeliverableCreated():
            return replace(history, deliverables=(*history.deliverables, event.deliverable))
        case DeliverableChanged():
            return _apply_change(history, event)
        case DeliverableClaimed():
            return replace(
                history,
                passed_this_round=_with(history.passed_this_round, event.id),
                claimed_this_round=_with(history.claimed_this_round, event.id),
            )
        case CheckAdded():
            after = _change_one(history, event.deliverable, lambda d: with_check(d, event.check))
            return replace(history, deliverables=after, added_checks=(*history.added_checks, event))
        case CheckFinished():
            return _apply_check_result(history, event)
        case DeliverableGraded():
            after = _change_one(
                history, event.id, lambda d: with_valid_proof(with_grades(d, event))
            )
            return replace(history, deliverables=after)
        case unreachable:
            assert_never(unreachable)


def with_check(deliverable: Deliverable, check: Check) -> Deliverable:
    """The deliverable with this check, which replaces the one of the same criterion."""
    checks = deliverable.checks
    if any(each.criterion == check.criterion for each in checks):
        checks = tuple(check if each.criterion == check.criterion else each for each in checks)
    else:
        checks = (*checks, check)
    return with_valid_proof(replace(deliverable, checks=checks))


def _apply_change(history: History, event: DeliverableChanged) -> History:
    after = _change_one(history, event.id, lambda d: _with_status(d, event))
    # A withdrawn claim leaves the status as it was, so the file lacks nothing.
    changes = history.changes if event.previous == event.status else (*history.changes, event)
    passed = _without(history.passed_this_round, event.id)
    return replace(
        history,
        deliverables=after,
        changes=changes,
        passed_this_round=(*passed, event.id) if event.status == "passed" else passed,
        claimed_this_round=_without(history.claimed_this_round, event.id),
    )


def _with_status(deliverable: Deliverable, event: DeliverableChanged) -> Deliverable:
    """The deliverable with the new status; what is pending again or blocked has no grade."""
    is_reset = event.status not in (event.previous, "passed")
    known = as_pending(deliverable) if is_reset else deliverable
    claim = None if event.proof is None else Claim(event.commit)
    return with_known_grades(replace(known, status=event.status, claim=claim, proof=event.proof))


def _apply_check_result(history: History, event: CheckFinished) -> History:
    """The outcome before the work counts for the same command only."""
    if event.evidence.when != "before":
        return history
    after = _change_one(history, event.deliverable, lambda d: with_outcome_before(d, event))
    return replace(history, deliverables=after)


def with_outcome_before(deliverable: Deliverable, event: CheckFinished) -> Deliverable:
    """The deliverable with the outcome of a check before the work, or why there is none."""
    key = (event.criterion, event.evidence.command)
    for check in deliverable.checks:
        if (check.criterion, check.command) == key:
            return with_check(deliverable, event.with_outcome_before(check))
    return deliverable


def _with_claimed_proof(deliverable: Deliverable) -> Deliverable:
    """A pass from a log without proofs counts as claimed."""
    if deliverable.status == "passed" and deliverable.proof is None:
        return replace(deliverable, proof="claimed")
    return deliverable


def _change_one(
    history: DeliverableHistory, name: str, change: Callable[[Deliverable], Deliverable]
) -> tuple[Deliverable, ...]:
    return tuple(change(d) if d.id == name else d for d in history.deliverables)


def _with(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return names if name in names else (*names, name)


def _without(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(each for each in names if each != name)
