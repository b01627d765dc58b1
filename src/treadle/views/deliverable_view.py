"""One deliverable as a person sees it: its status, and how a pass is known. Loads no events."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from treadle.domain.check import Check, Grade
from treadle.domain.deliverable import Deliverable, DeliverableStatus
from treadle.views.tally_text import proof_of, why_claimed

ATTENTION_ORDER = ("unfinished", "claimed", "proven")


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

    @property
    def remark(self) -> str:
        """`proven`, `claimed` with the reason where that is known, or what is against it."""
        if self.status != "passed":
            return self.trouble
        why = why_claimed(self.criteria, self.checks) if self.proof == "claimed" else ""
        return f"{self.proof}: {why}" if why else self.proof or ""


def make_deliverable_view(deliverable: Deliverable) -> DeliverableView:
    """The view of a deliverable as status.json has it."""
    return DeliverableView(
        deliverable.id,
        deliverable.description,
        deliverable.status,
        proof_of(deliverable),
        deliverable.acceptance_criteria,
        deliverable.checks,
    )


def count_proven(deliverables: Sequence[DeliverableView]) -> int:
    """How many of them Treadle has proven."""
    return sum(each.status == "passed" and each.proof == "proven" for each in deliverables)


def order_by_attention(deliverables: Sequence[DeliverableView]) -> list[DeliverableView]:
    """What needs a person first: what has not passed, then what is only claimed."""
    return sorted(deliverables, key=lambda each: ATTENTION_ORDER.index(_attention(each)))


def _attention(deliverable: DeliverableView) -> Literal["unfinished", "claimed", "proven"]:
    if deliverable.status != "passed":
        return "unfinished"
    return "proven" if deliverable.proof == "proven" else "claimed"
