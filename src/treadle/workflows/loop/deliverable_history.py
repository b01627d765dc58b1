"""The deliverables of a run from its log. Pure."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar, assert_never

from treadle.domain.check import BeforeOutcome, Check
from treadle.domain.deliverable import Claim, Deliverable, with_valid_proof
from treadle.domain.events.verification import CheckAdded, CheckFinished, DeliverableClaimed
from treadle.domain.events.work import DeliverableChanged, DeliverableCreated, StatusAdopted

Told: TypeAlias = (
    DeliverableCreated
    | DeliverableChanged
    | DeliverableClaimed
    | StatusAdopted
    | CheckAdded
    | CheckFinished
)


@dataclass(frozen=True, slots=True)
class DeliverableHistory:
    """What is to be done and what became of it."""

    deliverables: tuple[Deliverable, ...] = ()
    # What status.json may not have yet: one process stores first and writes then.
    changes: tuple[DeliverableChanged, ...] = ()
    added_checks: tuple[CheckAdded, ...] = ()
    # By id, in order: passed or claimed in the round that runs, and those of them that are claimed
    # and neither shown nor taken back.
    passed_this_round: tuple[str, ...] = ()
    claimed_this_round: tuple[str, ...] = ()


Known = TypeVar("Known", bound=DeliverableHistory)


def apply_deliverable(known: Known, event: Told) -> Known:
    """The same with one more event in it."""
    match event:
        case StatusAdopted():
            adopted = tuple(_as_known(d) for d in event.deliverables)
            return replace(known, deliverables=adopted, added_checks=())
        case DeliverableCreated():
            return replace(known, deliverables=(*known.deliverables, event.deliverable))
        case DeliverableChanged():
            return _changed(known, event)
        case DeliverableClaimed():
            return replace(
                known,
                passed_this_round=_with(known.passed_this_round, event.id),
                claimed_this_round=_with(known.claimed_this_round, event.id),
            )
        case CheckAdded():
            after = _each(known, event.deliverable, lambda d: with_check(d, event.check))
            return replace(known, deliverables=after, added_checks=(*known.added_checks, event))
        case CheckFinished():
            return _seen(known, event)
        case unreachable:
            assert_never(unreachable)


def with_check(deliverable: Deliverable, check: Check) -> Deliverable:
    """The deliverable with this check in the place of the one that its criterion may have."""
    checks = deliverable.checks
    if any(each.criterion == check.criterion for each in checks):
        checks = tuple(check if each.criterion == check.criterion else each for each in checks)
    else:
        checks = (*checks, check)
    return with_valid_proof(replace(deliverable, checks=checks))


def _changed(known: Known, event: DeliverableChanged) -> Known:
    claim = None if event.proof is None else Claim(event.commit)
    after = _each(
        known,
        event.id,
        lambda d: replace(d, status=event.status, claim=claim, proof=event.proof),
    )
    # A claim that is withdrawn leaves the status as it was: nothing that the file could miss.
    changes = known.changes if event.previous == event.status else (*known.changes, event)
    passed = _without(known.passed_this_round, event.id)
    return replace(
        known,
        deliverables=after,
        changes=changes,
        passed_this_round=(*passed, event.id) if event.status == "passed" else passed,
        claimed_this_round=_without(known.claimed_this_round, event.id),
    )


def _seen(known: Known, event: CheckFinished) -> Known:
    """What a command did before the work counts for that command alone."""
    evidence = event.evidence
    if evidence.when != "before":
        return known
    before: BeforeOutcome = "passed" if evidence.is_green else "failed"

    def looked_at(d: Deliverable) -> Deliverable:
        for check in d.checks:
            if (check.criterion, check.command) == (event.criterion, evidence.command):
                return with_check(d, replace(check, before=before))
        return d

    return replace(known, deliverables=_each(known, event.deliverable, looked_at))


def _as_known(deliverable: Deliverable) -> Deliverable:
    """Of a pass that was stored before there were proofs: it is a claim."""
    if deliverable.status == "passed" and deliverable.proof is None:
        return replace(deliverable, proof="claimed")
    return deliverable


def _each(
    known: DeliverableHistory, name: str, change: Callable[[Deliverable], Deliverable]
) -> tuple[Deliverable, ...]:
    return tuple(change(d) if d.id == name else d for d in known.deliverables)


def _with(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return names if name in names else (*names, name)


def _without(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(each for each in names if each != name)
