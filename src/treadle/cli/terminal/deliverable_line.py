"""One line for a deliverable: its tag, description, id and how its pass is known."""

from typing import Literal

from treadle.cli.terminal.styled_lines import Line, RenderOptions
from treadle.domain.deliverable import DeliverableStatus
from treadle.views.deliverable_view import DeliverableView
from treadle.views.safe_text import fit, one_spaced, width_of
from treadle.views.style import Style

TAGS: dict[DeliverableStatus, tuple[Literal["[PASS]", "[BLOCKED]", "[PENDING]"], Style]] = {
    "passed": ("[PASS]", "good"),
    "blocked": ("[BLOCKED]", "warning"),
    "pending": ("[PENDING]", "quiet"),
}
SHORTEST_DESCRIPTION = 8


def deliverable_line(
    deliverable: DeliverableView, options: RenderOptions, *, indent: str = "  ", note: str = ""
) -> Line:
    """`[PASS] User login (DL-001)  claimed: no check`; only a long description is cut."""
    tag, style = TAGS[deliverable.status]
    name = f" ({fit(deliverable.id, options.width // 3)})"
    remark = note or deliverable.remark
    tail = f"  {remark}" if remark else ""
    room = options.width - width_of(f"{indent}{tag} {name}{tail}")
    description = fit(one_spaced(deliverable.description), max(room, SHORTEST_DESCRIPTION))
    return (
        (indent, "plain"),
        (tag, style),
        (f" {description}", "plain"),
        (name, "quiet"),
        (tail, "good" if remark.startswith("proven") else "quiet"),
    )
