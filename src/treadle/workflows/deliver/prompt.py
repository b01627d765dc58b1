"""The prompt of a `deliver` session: its instruction, the project's facts, the deliverables."""

import json
from collections.abc import Sequence

from treadle.domain.deliverable import Deliverable
from treadle.workflows.deliver.board_tools import deliverable_entries
from treadle.workflows.loop.run_parts import ProjectFacts


def plan_text(deliverables: Sequence[Deliverable]) -> str:
    """The deliverables as a person reads them before the work."""
    lines = []
    for deliverable in deliverables:
        commands = {check.criterion: check.command for check in deliverable.checks}
        lines.append(f"{deliverable.id}  {deliverable.description}")
        for criterion in deliverable.acceptance_criteria:
            lines.append(f"  - {criterion}")
            if command := commands.get(criterion):
                lines.append(f"    Check: {command}")
    return "\n".join(lines)


def deliver_prompt(
    instruction: str, facts: ProjectFacts, deliverables: Sequence[Deliverable]
) -> str:
    """The instruction, the facts, then the state of the work."""
    lines = [
        instruction.rstrip(),
        "",
        "## This project",
        "",
        *([f"- Specification: `{facts.spec}`"] if facts.spec else []),
        f"- Hand-over notes between sessions: `{facts.notes}` (yours to read and to update)",
    ]
    lines += [
        f"- {label}: `{command}`"
        for label, command in (
            ("Setup command", facts.setup),
            ("Check command", facts.check),
            ("Test command", facts.test),
        )
        if command
    ]
    if deliverables:
        state = json.dumps(deliverable_entries(deliverables), ensure_ascii=False, indent=1)
        lines += ["", "## Deliverables as they stand", "", "```json", state, "```"]
    return "\n".join(lines) + "\n"
