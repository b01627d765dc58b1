"""Merges a person's edit of status.json with the state of the run. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from treadle.domain.check import Check
from treadle.domain.deliverable import Claim, Deliverable, with_valid_proof
from treadle.workflows.loop.deliverable_history import DeliverableHistory


def replace_by_id(
    deliverables: Sequence[Deliverable], changed: Sequence[Deliverable]
) -> tuple[Deliverable, ...]:
    """The list with these instead of those with the same id; new ones at the end."""
    ours = {d.id: d for d in changed}
    present = {d.id for d in deliverables}
    return (
        *(ours.get(d.id, d) for d in deliverables),
        *(d for d in ours.values() if d.id not in present),
    )


def with_changes(
    file_deliverables: Sequence[Deliverable], changed: Sequence[Deliverable]
) -> tuple[Deliverable, ...]:
    """A person's list with the run's statuses and checks; missing ones at the end."""
    ours = {d.id: d for d in changed}
    theirs = {d.id for d in file_deliverables}
    return (
        *(_merge_edit(d, ours[d.id]) if d.id in ours else d for d in file_deliverables),
        *(d for d in ours.values() if d.id not in theirs),
    )


def _merge_edit(theirs: Deliverable, ours: Deliverable) -> Deliverable:
    checks = {check.criterion: check for check in theirs.checks}
    missing = (c for c in ours.checks if c.criterion not in checks)
    merged = replace(
        theirs,
        status=ours.status,
        claim=ours.claim,
        proof=ours.proof,
        why=ours.why,
        checks=(*theirs.checks, *(c for c in missing if c.criterion in theirs.acceptance_criteria)),
    )
    return with_valid_proof(with_known_checks(merged, ours))


def with_known_checks(theirs: Deliverable, ours: Deliverable | None) -> Deliverable:
    """The deliverable with the run's results of unchanged checks. A check with a changed command
    belongs to the person, and has no result yet."""
    if ours is None or not theirs.checks:
        return theirs
    by_criterion = {check.criterion: check for check in ours.checks}
    checks = tuple(
        _merge_check(check, by_criterion.get(check.criterion)) for check in theirs.checks
    )
    return with_valid_proof(replace(theirs, checks=checks))


def _merge_check(theirs: Check, ours: Check | None) -> Check:
    if ours is None:
        return theirs
    if theirs.command != ours.command:
        return replace(theirs, origin="person", before="", pinned="", why="")
    return replace(
        theirs,
        before=theirs.before or ours.before,
        # Nobody but the run sets these.
        pinned=ours.pinned,
        why=ours.why,
    )


def missing_from_file(
    file_deliverables: Sequence[Deliverable], history: DeliverableHistory
) -> tuple[Deliverable, ...]:
    """What the log has and the file lacks: a change whose `previous` is the status in the file,
    the grade of a pass by the same checks, and a check for a criterion that has none there.

    Any other difference is a person's edit, which is kept.
    """
    in_file = {d.id: d for d in file_deliverables}
    missing = []
    for deliverable in history.deliverables:
        before = in_file.get(deliverable.id)
        if before is None:
            missing.append(deliverable)
        elif (after := _with_log_changes(before, deliverable, history)) != before:
            missing.append(after)
    return tuple(missing)


def _with_log_changes(
    before: Deliverable, deliverable: Deliverable, history: DeliverableHistory
) -> Deliverable:
    last = {change.id: change for change in history.changes}.get(deliverable.id)
    after = before
    if last is not None and last.previous == before.status != deliverable.status:
        claim = (deliverable.claim or Claim()) if deliverable.status == "passed" else None
        after = replace(
            before,
            status=deliverable.status,
            claim=claim,
            proof=deliverable.proof,
            why=deliverable.why,
        )
    elif before.status == deliverable.status and _has_same_checks(before, deliverable):
        after = replace(before, proof=deliverable.proof, why=deliverable.why)
    present = {check.criterion for check in before.checks}
    added = {each.check.criterion for each in history.added_checks if each.deliverable == before.id}
    checks = (
        check
        for check in deliverable.checks
        if check.criterion in (added - present) and check.criterion in before.acceptance_criteria
    )
    return with_known_checks(replace(after, checks=(*after.checks, *checks)), deliverable)


def _has_same_checks(one: Deliverable, other: Deliverable) -> bool:
    """Whether no person has edited a check, or accepted one."""
    return [(c.criterion, c.command, c.origin) for c in one.checks] == [
        (c.criterion, c.command, c.origin) for c in other.checks
    ]


def editable_parts(deliverables: Sequence[Deliverable]) -> tuple[Deliverable, ...]:
    """The parts of the deliverables that people edit: without commits of passes and without
    results of checks."""
    return tuple(
        replace(d, claim=None, why="", checks=tuple(map(_without_results, d.checks)))
        for d in deliverables
    )


def _without_results(check: Check) -> Check:
    return replace(check, before="", pinned="", why="")
