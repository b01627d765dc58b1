"""One deliverable as a person sees it: its status, and how a pass is known. Loads no events."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.styled_lines import Line, RenderOptions
from treadle.domain.check import Check
from treadle.domain.deliverable import Deliverable, DeliverableStatus, Proof
from treadle.views.safe_text import fit, width_of
from treadle.views.tally_text import proof_of, why_claimed


@dataclass(frozen=True, slots=True)
class DeliverableView:
    """A deliverable as far as its status goes; a pass says how it is known."""

    id: str
    description: str
    status: DeliverableStatus = "pending"
    proof: Proof | None = None
    criteria: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    # What Treadle itself found against it, while it has not passed since.
    trouble: str = ""

    @property
    def remark(self) -> str:
        """`proven`, `claimed` with the reason where that is known, or what is against it."""
        if self.status != "passed":
            return self.trouble
        why = why_claimed(self.criteria, self.checks) if self.proof == "claimed" else ""
        return f"{self.proof}: {why}" if why else self.proof or ""


def make_deliverable_view(deliverable: Deliverable) -> DeliverableView:
    """The standing of a deliverable of status.json."""
    return DeliverableView(
        deliverable.id,
        deliverable.description,
        deliverable.status,
        proof_of(deliverable),
        deliverable.acceptance_criteria,
        deliverable.checks,
    )


def count_proven(standings: Sequence[DeliverableView]) -> int:
    """How many of them Treadle itself has shown."""
    return sum(each.status == "passed" and each.proof == "proven" for each in standings)


TAGS: dict[DeliverableStatus, tuple[Literal["[PASS]", "[BLOCKED]", "[PENDING]"], Style]] = {
    "passed": ("[PASS]", "good"),
    "blocked": ("[BLOCKED]", "warning"),
    "pending": ("[PENDING]", "quiet"),
}
SHORTEST_DESCRIPTION = 8


def deliverable_line(
    standing: DeliverableView, view: RenderOptions, *, indent: str = "  ", note: str = ""
) -> Line:
    """`[PASS] User login (DL-001)  claimed: no check`: a long description gives way first,
    never the rest."""
    tag, style = TAGS[standing.status]
    name = f" ({fit(standing.id, view.width // 3)})"
    remark = note or standing.remark
    tail = f"  {remark}" if remark else ""
    room = view.width - width_of(f"{indent}{tag} {name}{tail}")
    description = fit(standing.description, max(room, SHORTEST_DESCRIPTION))
    return (
        (indent, "plain"),
        (tag, style),
        (f" {description}", "plain"),
        (name, "quiet"),
        (tail, "good" if remark == "proven" else "quiet"),
    )
