"""Decides whether a deliverable's checks prove it. Pure."""

from treadle.domain.deliverable import Deliverable, Proof


def claimed_criteria(deliverable: Deliverable) -> tuple[str, ...]:
    """The criteria without a check."""
    checked = {check.criterion for check in deliverable.checks}
    return tuple(text for text in deliverable.acceptance_criteria if text not in checked)


def proof_of(deliverable: Deliverable) -> Proof:
    """Proven if every criterion has a check that failed before the work, else claimed."""
    return "proven" if deliverable.is_provable else "claimed"
