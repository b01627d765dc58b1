"""Reads the texts that a session starts with: its instruction, the project's own context."""

import os
import posixpath
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from treadle.domain.errors import ProjectError
from treadle.policy.tool_files import leaves_project
from treadle.workspace.blob_texts import split_batch
from treadle.workspace.git import Git
from treadle.workspace.hostile_files import read_start
from treadle.workspace.tree_entries import FILE_MODES, LINK_MODE, TreeEntry

OVERRIDES = ".treadle/instructions"
MAX_CONTEXT = 96 * 1024
MAX_INSTRUCTION = 1 << 20
_MOST_LINKS = 10
_ENTRY_FIELDS = 3


def instruction_text(project: Path, workflow: str, name: str) -> str:
    """The project's own `.treadle/instructions/<name>.md`, else the one of the workflow."""
    override = project / OVERRIDES / f"{name}.md"
    if not os.path.lexists(override):
        return prompt_text(workflow, name)
    # A link could hand any file of the user's to the agent.
    is_inside = not any(each.is_symlink() for each in (override.parent.parent, override.parent))
    content = read_start(override, MAX_INSTRUCTION + 1) if is_inside else None
    if content is None or len(content) > MAX_INSTRUCTION:
        reason = f"it is not a plain file of at most {MAX_INSTRUCTION:,} bytes, or behind a link"
        raise ProjectError(f"cannot read {override}: {reason}", hint="fix or remove the override")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise ProjectError(
            f"cannot read {override}: {error}", hint="fix or remove the override"
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


async def project_context(git: Git, commit: str, name: str) -> str | UnusableContext:
    """The project's instructions to coding agents, because the agent itself loads no settings.

    They are read from the commit that the run started from: what a session writes into them is
    part of the work, and steers no other session of the run.
    """
    path = name
    for _ in range(_MOST_LINKS):
        entry = await _find_entry(git, commit, path)
        if entry is None or entry.mode not in (*FILE_MODES, LINK_MODE):
            return ""
        content = split_batch(
            await git.run("cat-file", "--batch", stdin=f"{entry.name}\n".encode())
        )
        text = content.get(entry.name, b"")
        if entry.mode != LINK_MODE:
            return _context_text(name, text)
        target = os.fsdecode(text)
        if leaves_project(path, target):
            return UnusableContext("it is a symbolic link that points outside the project")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return ""


async def _find_entry(git: Git, commit: str, path: str) -> TreeEntry | None:
    words = ("--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit, "--", path)
    head, _, _ = (await git.run(*words)).partition("\t")
    fields = head.split(" ")
    return TreeEntry(fields[0], fields[2], path) if len(fields) == _ENTRY_FIELDS else None


def _context_text(name: str, content: bytes) -> str | UnusableContext:
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        return UnusableContext(f"it cannot be read ({error})")
    return f"# The project's own instructions ({name})\n\n{text[:MAX_CONTEXT]}"
