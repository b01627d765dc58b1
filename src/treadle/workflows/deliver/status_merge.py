"""Merges a person's edit of status.json with what the run knows. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from treadle.domain.check import Check
from treadle.domain.deliverable import Claim, Deliverable, with_valid_proof
from treadle.workflows.loop.deliverable_history import DeliverableHistory


def replaced(
    known: Sequence[Deliverable], changed: Sequence[Deliverable]
) -> tuple[Deliverable, ...]:
    """The list with these in the place of those with the same id; others come behind."""
    ours = {d.id: d for d in changed}
    there = {d.id for d in known}
    return (
        *(ours.get(d.id, d) for d in known),
        *(d for d in ours.values() if d.id not in there),
    )


def with_changes(
    found: Sequence[Deliverable], changed: Sequence[Deliverable]
) -> tuple[Deliverable, ...]:
    """A person's list with our statuses and checks in it; what is not in it comes behind."""
    ours = {d.id: d for d in changed}
    theirs = {d.id for d in found}
    return (
        *(_in_their_words(d, ours[d.id]) if d.id in ours else d for d in found),
        *(d for d in ours.values() if d.id not in theirs),
    )


def _in_their_words(theirs: Deliverable, ours: Deliverable) -> Deliverable:
    checks = {check.criterion: check for check in theirs.checks}
    missing = (c for c in ours.checks if c.criterion not in checks)
    merged = replace(
        theirs,
        status=ours.status,
        claim=ours.claim,
        proof=ours.proof,
        checks=(*theirs.checks, *(c for c in missing if c.criterion in theirs.acceptance_criteria)),
    )
    return with_valid_proof(with_known_checks(merged, ours))


def with_known_checks(theirs: Deliverable, ours: Deliverable | None) -> Deliverable:
    """What we know of checks that a person left alone; one whose command they changed is theirs,
    and nobody has looked at it yet."""
    if ours is None or not theirs.checks:
        return theirs
    known = {check.criterion: check for check in ours.checks}
    checks = tuple(_as_known(check, known.get(check.criterion)) for check in theirs.checks)
    return with_valid_proof(replace(theirs, checks=checks))


def _as_known(theirs: Check, ours: Check | None) -> Check:
    if ours is None:
        return theirs
    if theirs.command != ours.command:
        return replace(theirs, origin="person", before="")
    return replace(theirs, before=theirs.before or ours.before)


def unsaved(found: Sequence[Deliverable], known: DeliverableHistory) -> tuple[Deliverable, ...]:
    """What the log has and the file has not: a change whose `previous` is what the file says, and
    a check for a criterion that has none there.

    Any other difference is a person's edit, which stands.
    """
    there = {d.id: d for d in found}
    missing = []
    for deliverable in known.deliverables:
        before = there.get(deliverable.id)
        if before is None:
            missing.append(deliverable)
        elif (after := _caught_up(before, deliverable, known)) != before:
            missing.append(after)
    return tuple(missing)


def _caught_up(
    before: Deliverable, deliverable: Deliverable, known: DeliverableHistory
) -> Deliverable:
    last = {change.id: change for change in known.changes}.get(deliverable.id)
    after = before
    if last is not None and last.previous == before.status != deliverable.status:
        claim = (deliverable.claim or Claim()) if deliverable.status == "passed" else None
        after = replace(before, status=deliverable.status, claim=claim, proof=deliverable.proof)
    shown = {check.criterion for check in before.checks}
    added = {each.check.criterion for each in known.added_checks if each.deliverable == before.id}
    checks = (
        check
        for check in deliverable.checks
        if check.criterion in (added - shown) and check.criterion in before.acceptance_criteria
    )
    return with_known_checks(replace(after, checks=(*after.checks, *checks)), deliverable)


def as_edited(deliverables: Sequence[Deliverable]) -> tuple[Deliverable, ...]:
    """The deliverables as people edit them: where the work behind a pass is and what was seen of a
    check are not theirs."""
    return tuple(
        replace(d, claim=None, checks=tuple(replace(check, before="") for check in d.checks))
        for d in deliverables
    )
