"""The prompt of a `deliver` session: its instruction, the project's facts, the deliverables."""

import json
from collections.abc import Sequence

from treadle.domain.deliverable import Deliverable
from treadle.workflows.deliver.board_tools import deliverable_entries
from treadle.workflows.loop.run_parts import ProjectFacts


def deliver_prompt(
    instruction: str, facts: ProjectFacts, deliverables: Sequence[Deliverable]
) -> str:
    """The instruction, the facts, then the state of the work."""
    lines = [
        instruction.rstrip(),
        "",
        "## This project",
        "",
        f"- Specification: `{facts.spec}`",
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
