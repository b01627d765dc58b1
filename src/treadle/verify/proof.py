"""Decides the grade of a deliverable. Pure."""

from treadle.domain.check import Grade
from treadle.domain.deliverable import Deliverable


def claimed_criteria(deliverable: Deliverable) -> tuple[str, ...]:
    """The criteria without a check."""
    checked = {check.criterion for check in deliverable.checks}
    return tuple(text for text in deliverable.acceptance_criteria if text not in checked)


def proof_of(deliverable: Deliverable) -> Grade:
    return deliverable.grade_by_checks
