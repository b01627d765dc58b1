"""Decides which files the agent's file tools may read and write. Pure."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeAlias

from treadle.domain.agent import Allow, Ask, Deny, PolicyDecision, ToolUse
from treadle.policy.content_gates import find_content_gate
from treadle.policy.judging.secret_files import holds_secrets
from treadle.policy.permission_rules import MAIN_ARGUMENT
from treadle.policy.protected_paths import OWN, is_executed_config, protected_part

RealPath: TypeAlias = Callable[[str], str]

# A path that no rule about places fits and that lies outside every workspace.
_NOWHERE = ""
# The agent takes a leading tilde for its home; a zero byte ends a path early or not, who knows.
_UNKNOWABLE = re.compile(r"\A~|\0")
# Braces may hide a way up from whoever splits a pattern at its slashes, so none is followed.
_UPWARD = re.compile(r"(?<![^/{},])\.\.(?![^/{},])")
# What a tool puts into a file.
_WRITTEN = {"Edit": "new_string", "NotebookEdit": "new_source", "Write": "content"}

OUTSIDE_READ = Deny(
    "That path is outside the workspace; read inside your current directory only.", "read-outside"
)
SECRET_READ = Deny(
    "That file may hold secrets. Read an example such as .env.example, or the code that uses it.",
    "read-secrets",
)
OUTSIDE_WRITE = Deny(
    "That path is outside the workspace. Write inside your current directory only; "
    "relative paths are the safest.",
    "write-outside",
)


@dataclass(frozen=True, slots=True)
class FileAccess:
    """The disk as one use sees it; all but `directory` and `protected` are real paths."""

    workspace: str
    # Where relative paths begin.
    directory: str
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    # Paths in the workspace, relative to it, that no agent writes besides those protected anyway.
    protected: tuple[str, ...] = ()


def resolve_tool_path(use: ToolUse, reach: FileAccess, real_path: RealPath) -> str:
    """The real path that a file tool is to be used on; empty where nobody can tell."""
    # The agent drops blanks around a path, so " /etc" is not a file of the workspace.
    value = str(use.input.get(MAIN_ARGUMENT[use.name]) or "").strip()
    # A pattern leads out of the directory it is looked for in as easily as a path does.
    pattern = str(use.input.get("pattern") or "").strip() if use.name == "Glob" else ""
    if _UNKNOWABLE.search(value) or _UNKNOWABLE.search(pattern) or _UPWARD.search(pattern):
        return _NOWHERE
    return real_path(str(PurePosixPath(reach.directory) / value / pattern))


def decide_read(use: ToolUse, place: str, reach: FileAccess) -> PolicyDecision:
    """Everything in the workspace may be read, and what the settings add to it, but for files that
    are named like secrets: those are only seen to be there."""
    inside = _relative_to_first(place, (reach.workspace, *reach.readable, *reach.writable))
    if inside is None:
        return OUTSIDE_READ
    if use.name != "Glob" and holds_secrets(inside.parts):
        return SECRET_READ
    return Allow(rule="read")


def decide_write(use: ToolUse, place: str, reach: FileAccess) -> PolicyDecision:
    """In the workspace and what the settings add, but for what is protected; some texts only after
    a person has seen them."""
    inside = _relative_to_first(place, (reach.workspace, *reach.writable))
    if inside is None:
        return OUTSIDE_WRITE
    if part := protected_part(inside, reach.protected):
        return deny_protected(part)
    text = str(use.input.get(_WRITTEN[use.name]) or "")
    if gate := find_content_gate(inside, text):
        return Ask(gate.reason, f"{use.name} {inside}\n{text}", gate.rule)
    return Allow(rule="write")


def deny_protected(part: str) -> Deny:
    """The refusal to write what is protected."""
    if part.casefold() in OWN:
        return Deny(
            f"{part} belongs to Treadle and cannot be written by an agent. "
            "Use the mcp__treadle__* tools to report on the work.",
            "write-protected",
        )
    if is_executed_config(part):
        return Deny(
            f"{part} decides what runs on the user's machine and cannot be written by an agent. "
            "Leave it as it is, and say in your notes what should change.",
            "write-protected",
        )
    return Deny(
        f"{part} is kept as it is by the user's settings, and no agent changes it. "
        "Make the work fit it; if that cannot be, say in your notes what should change.",
        "write-protected",
    )


def _relative_to_first(path: str, roots: tuple[str, ...]) -> PurePosixPath | None:
    """The path relative to the first of the roots that it lies in."""
    for root in roots:
        try:
            return PurePosixPath(path).relative_to(root)
        except ValueError:
            continue
    return None
