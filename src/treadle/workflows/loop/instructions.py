"""The texts that a session starts with: its instruction, the project's own context."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from treadle.domain.deliverable import Deliverable
from treadle.domain.errors import ProjectError
from treadle.domain.events.run import Instruction
from treadle.domain.signal import Role
from treadle.workflows.deliver.board_tools import listed

OVERRIDES = ".treadle/instructions"
MAX_CONTEXT = 96 * 1024

ROLE_OF: dict[Instruction, Role] = {
    "initializer": "initializer",
    "coding": "implementer",
    "sync": "verifier",
}


@dataclass(frozen=True, slots=True)
class PromptFacts:
    """What a session must know of the project and cannot guess."""

    spec: str
    notes: str
    setup: str = ""
    check: str = ""
    test: str = ""


def instruction_text(project: Path, name: Instruction) -> str:
    """The project's own `.treadle/instructions/<name>.md`, else the one that comes with Treadle."""
    override = project / OVERRIDES / f"{name}.md"
    try:
        return override.read_text(encoding="utf-8")
    except FileNotFoundError:
        prompts = files("treadle.workflows") / "prompts"
        return (prompts / f"{name}.md").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ProjectError(
            f"cannot read {override}: {error}", hint="mend or remove the override"
        ) from error


def resumed_text() -> str:
    """What a session is told whose process was cut off, when another goes on with it."""
    return (files("treadle.workflows") / "prompts" / "resumed.md").read_text(encoding="utf-8")


def prompt_for(instruction: str, facts: PromptFacts, deliverables: Sequence[Deliverable]) -> str:
    """Instruction first, then facts, then the state of the work."""
    lines = [
        instruction.rstrip(),
        "",
        "## This project",
        "",
        f"- Specification: `{facts.spec}`",
        f"- Hand-over notes between sessions: `{facts.notes}` (yours to read and to update)",
    ]
    lines += [
        f"- {what}: `{command}`"
        for what, command in (
            ("Setup command", facts.setup),
            ("Check command", facts.check),
            ("Test command", facts.test),
        )
        if command
    ]
    if deliverables:
        state = json.dumps(listed(deliverables), ensure_ascii=False, indent=1)
        lines += ["", "## Deliverables as they stand", "", "```json", state, "```"]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class UnusableContext:
    """Why a file of the workspace is not used."""

    reason: str


def project_context(workspace: Path) -> str | UnusableContext:
    """The project's own words to coding agents. Read by us: the agent loads no settings itself."""
    path = Path(os.path.realpath(workspace / "CLAUDE.md"))
    if not path.is_relative_to(os.path.realpath(workspace)):
        # An agent could have put a link there, to be told what it cannot read itself.
        return UnusableContext("it is a link that leads out of the project")
    if not path.is_file():
        return ""
    try:
        with path.open(encoding="utf-8") as opened:
            text = opened.read(MAX_CONTEXT)
    except (OSError, UnicodeDecodeError) as error:
        return UnusableContext(f"it cannot be read ({error})")
    return f"# The project's own instructions (CLAUDE.md)\n\n{text}"
