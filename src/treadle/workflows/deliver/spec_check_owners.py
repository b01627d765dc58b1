"""Assigns the checks of the specification to deliverables. Pure."""

from collections.abc import Collection, Sequence

from treadle.domain.check import Check
from treadle.domain.deliverable import Deliverable
from treadle.verify.checks.spec_checks import SpecCheck, fold_text, index_by_text
from treadle.workflows.loop.deliverable_history import with_check

SPEC_ID = "SPEC"
SPEC_DESCRIPTION = "Checks of the whole specification"


def missing_checks(deliverable: Deliverable, spec_checks: Sequence[SpecCheck]) -> tuple[Check, ...]:
    """Checks of the specification that the deliverable's criteria lack.

    They replace an agent's checks and older ones of the specification, but never a person's.
    """
    by_text = index_by_text(spec_checks)
    present = {check.criterion: check for check in deliverable.checks}
    missing = []
    for criterion in dict.fromkeys(deliverable.acceptance_criteria):
        spec_check, check = by_text.get(fold_text(criterion)), present.get(criterion)
        if spec_check is None or (check is not None and check.origin == "person"):
            continue
        if check is None or (check.command, check.origin) != (spec_check.command, "spec"):
            missing.append(Check(criterion, spec_check.command, "spec"))
    return tuple(missing)


def with_spec_checks(deliverable: Deliverable, spec_checks: Sequence[SpecCheck]) -> Deliverable:
    """The deliverable with the specification's checks for its criteria."""
    for check in missing_checks(deliverable, spec_checks):
        deliverable = with_check(deliverable, check)
    return deliverable


def owner_of_unmatched_checks(
    deliverables: Sequence[Deliverable], spec_checks: Sequence[SpecCheck]
) -> Deliverable | None:
    """A deliverable for the checks that match no criterion; None if all match."""
    texts = {fold_text(text) for d in deliverables for text in d.acceptance_criteria}
    unmatched = [each for each in spec_checks if fold_text(each.text) not in texts]
    if not unmatched:
        return None
    return Deliverable(
        _free_id({d.id for d in deliverables}),
        SPEC_DESCRIPTION,
        tuple(each.text for each in unmatched),
        checks=tuple(Check(each.text, each.command, "spec") for each in unmatched),
    )


def _free_id(used_ids: Collection[str]) -> str:
    number, name = 1, SPEC_ID
    while name in used_ids:
        number += 1
        name = f"{SPEC_ID}-{number}"
    return name
