"""One deliverable as a person sees it: its status, and how a pass is known. Loads no events."""

from collections.abc import Sequence
from dataclasses import dataclass

from treadle.domain.check import GRADES, Check, Grade
from treadle.domain.deliverable import Deliverable, DeliverableStatus
from treadle.views.tally_text import grade_text, proof_of


@dataclass(frozen=True, slots=True)
class DeliverableView:
    """A deliverable with its status; a pass says how it is known."""

    id: str
    description: str
    status: DeliverableStatus = "pending"
    proof: Grade | None = None
    criteria: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    # What Treadle found against it since it last passed.
    trouble: str = ""
    # Why its grade is lower than that of its checks.
    why: str = ""

    @property
    def remark(self) -> str:
        """The grade with its judge or its reason, or what is against it."""
        if self.status != "passed":
            return self.trouble
        if self.proof is None:
            return ""
        return grade_text(self.proof, self.criteria, self.checks, self.why)


def make_deliverable_view(deliverable: Deliverable) -> DeliverableView:
    """The view of a deliverable as status.json has it."""
    return DeliverableView(
        deliverable.id,
        deliverable.description,
        deliverable.status,
        proof_of(deliverable),
        deliverable.acceptance_criteria,
        deliverable.checks,
        why=deliverable.why,
    )


def passed_grades(deliverables: Sequence[DeliverableView]) -> list[Grade]:
    """The grades of those that have passed."""
    return [each.proof or "claimed" for each in deliverables if each.status == "passed"]


def has_evidence(deliverables: Sequence[DeliverableView]) -> bool:
    """Whether a check of Treadle stands behind any pass."""
    return any(
        check.grade != "claimed"
        for each in deliverables
        if each.status == "passed"
        for check in each.checks
    )


def order_by_attention(deliverables: Sequence[DeliverableView]) -> list[DeliverableView]:
    """What needs a person first: what has not passed, then the lowest grades."""
    return sorted(deliverables, key=_attention)


def _attention(deliverable: DeliverableView) -> int:
    if deliverable.status != "passed":
        return -1
    return GRADES.index(deliverable.proof or "claimed")
