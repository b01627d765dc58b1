"""Lines for a deliverable: its tag, description, id and how its pass is known."""

from typing import Literal

from treadle.cli.terminal.styled_lines import Line, RenderOptions, sentence
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
# A reason takes a line of its own rather than leave a description less than this.
LEAST_DESCRIPTION = 12
REASON_LINES = 4


def deliverable_lines(
    deliverable: DeliverableView, options: RenderOptions, *, indent: str = "  ", note: str = ""
) -> list[Line]:
    """`[PASS] User login (DL-001)  claimed: no check`; a long reason is wrapped below."""
    remark = note or deliverable.remark
    line = _line(deliverable, remark, options, indent=indent)
    grade, _, reason = remark.partition(": ")
    least = min(width_of(deliverable.description), LEAST_DESCRIPTION)
    if not reason or _description_width(deliverable, remark, options, indent=indent) >= least:
        return [line]
    below = sentence(
        reason, style="quiet", options=options, most=REASON_LINES, indent=f"{indent}    "
    )
    return [_line(deliverable, f"{grade}:", options, indent=indent), *below]


def _line(
    deliverable: DeliverableView, remark: str, options: RenderOptions, *, indent: str
) -> Line:
    """The deliverable with this remark; only a long description is cut."""
    tag, style = TAGS[deliverable.status]
    name = _name(deliverable, options)
    tail = f"  {remark}" if remark else ""
    room = _description_width(deliverable, remark, options, indent=indent)
    description = fit(one_spaced(deliverable.description), max(room, SHORTEST_DESCRIPTION))
    return (
        (indent, "plain"),
        (tag, style),
        (f" {description}", "plain"),
        (name, "quiet"),
        (tail, "good" if remark.startswith("proven") else "quiet"),
    )


def _description_width(
    deliverable: DeliverableView, remark: str, options: RenderOptions, *, indent: str
) -> int:
    """How much of the description fits beside everything else."""
    tag, _ = TAGS[deliverable.status]
    tail = f"  {remark}" if remark else ""
    return options.width - width_of(f"{indent}{tag} {_name(deliverable, options)}{tail}")


def _name(deliverable: DeliverableView, options: RenderOptions) -> str:
    return f" ({fit(deliverable.id, options.width // 3)})"
