"""Where one deliverable stands, and the line that says so. Thin: loads no events."""

from dataclasses import dataclass
from typing import Literal

from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.text import fit, width_of
from treadle.cli.terminal.view import Line, View
from treadle.domain.deliverable import Proof, Status


@dataclass(frozen=True, slots=True)
class Standing:
    """A deliverable as far as its status goes; a pass says how it is known."""

    id: str
    description: str
    status: Status = "pending"
    proof: Proof | None = None


TAGS: dict[Status, tuple[Literal["[PASS]", "[BLOCKED]", "[PENDING]"], Style]] = {
    "passed": ("[PASS]", "good"),
    "blocked": ("[BLOCKED]", "warning"),
    "pending": ("[PENDING]", "quiet"),
}
SHORTEST_DESCRIPTION = 8


def deliverable_line(standing: Standing, view: View, *, indent: str = "  ", note: str = "") -> Line:
    """`[PASS] User login (DL-001)  claimed`: a long description gives way, never the rest."""
    tag, style = TAGS[standing.status]
    name = f" ({fit(standing.id, view.width // 3)})"
    remark = note or standing.proof or ""
    tail = f"  {remark}" if remark else ""
    room = view.width - width_of(f"{indent}{tag} {name}{tail}")
    description = fit(standing.description, max(room, SHORTEST_DESCRIPTION))
    return (
        (indent, "plain"),
        (tag, style),
        (f" {description}", "plain"),
        (name, "quiet"),
        (tail, "quiet"),
    )
