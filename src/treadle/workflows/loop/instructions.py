"""Reads the texts that a session starts with: its instruction, the project's own context."""

import os
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from treadle.domain.errors import ProjectError

OVERRIDES = ".treadle/instructions"
MAX_CONTEXT = 96 * 1024


def instruction_text(project: Path, workflow: str, name: str) -> str:
    """The project's own `.treadle/instructions/<name>.md`, else the one of the workflow."""
    override = project / OVERRIDES / f"{name}.md"
    try:
        return override.read_text(encoding="utf-8")
    except FileNotFoundError:
        return prompt_text(workflow, name)
    except (OSError, UnicodeDecodeError) as error:
        raise ProjectError(
            f"cannot read {override}: {error}", hint="mend or remove the override"
        ) from error


def prompt_text(folder: str, name: str) -> str:
    """A prompt of Treadle, from the folder of a workflow or of the loop."""
    prompts = files("treadle.workflows") / folder / "prompts"
    return (prompts / f"{name}.md").read_text(encoding="utf-8")


def resumed_text() -> str:
    """The prompt for a session that lost its process and is resumed."""
    return prompt_text("loop", "resumed")


@dataclass(frozen=True, slots=True)
class UnusableContext:
    """Why the project's instructions are not used."""

    reason: str


def project_context(workspace: Path, name: str) -> str | UnusableContext:
    """The project's instructions to coding agents, because the agent itself loads no settings."""
    path = Path(os.path.realpath(workspace / name))
    if not path.is_relative_to(os.path.realpath(workspace)):
        # An agent may have made the link to get the text of a file that it cannot read.
        return UnusableContext("it is a link that leads out of the project")
    if not path.is_file():
        return ""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(MAX_CONTEXT)
    except (OSError, UnicodeDecodeError) as error:
        return UnusableContext(f"it cannot be read ({error})")
    return f"# The project's own instructions ({name})\n\n{text}"
