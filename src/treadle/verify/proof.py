"""Decides whether a deliverable's checks prove it. Pure."""

from treadle.domain.deliverable import Deliverable, Proof


def claimed_criteria(deliverable: Deliverable) -> tuple[str, ...]:
    """The criteria that nothing shows: they have no check."""
    shown = {check.criterion for check in deliverable.checks}
    return tuple(text for text in deliverable.acceptance_criteria if text not in shown)


def proof_of(deliverable: Deliverable) -> Proof:
    """What green checks make of it: proven if every criterion has one that failed before."""
    return "proven" if deliverable.is_provable else "claimed"
