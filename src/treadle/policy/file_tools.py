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

# A path outside every workspace that no rule matches.
_NOWHERE = ""
# The agent expands a leading tilde to its home; a zero byte may or may not end a path.
_UNKNOWABLE = re.compile(r"\A~|\0")
# Braces may hide `..` from a parser that splits at slashes, so it is also matched next to braces.
_UPWARD = re.compile(r"(?<![^/{},])\.\.(?![^/{},])")
# The argument with the text that a tool writes.
_TEXT_ARGUMENT = {"Edit": "new_string", "NotebookEdit": "new_source", "Write": "content"}

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
    """The paths that one use may access; all but `directory` and `protected` are real paths."""

    workspace: str
    # The base of relative paths.
    directory: str
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    # Further protected paths, relative to the workspace.
    protected: tuple[str, ...] = ()


def resolve_tool_path(use: ToolUse, access: FileAccess, real_path: RealPath) -> str:
    """The real path of a file tool's argument; empty if it cannot be determined."""
    # The agent drops blanks around a path, so " /etc" is not a file of the workspace.
    value = str(use.input.get(MAIN_ARGUMENT[use.name]) or "").strip()
    # A pattern can lead out of its directory just like a path.
    pattern = str(use.input.get("pattern") or "").strip() if use.name == "Glob" else ""
    if _UNKNOWABLE.search(value) or _UNKNOWABLE.search(pattern) or _UPWARD.search(pattern):
        return _NOWHERE
    return real_path(str(PurePosixPath(access.directory) / value / pattern))


def decide_read(use: ToolUse, path: str, access: FileAccess) -> PolicyDecision:
    """Allow the workspace and the paths of the settings, except files named like secrets.

    Those may only be listed.
    """
    inside = _relative_to_first(path, (access.workspace, *access.readable, *access.writable))
    if inside is None:
        return OUTSIDE_READ
    if use.name != "Glob" and holds_secrets(inside.parts):
        return SECRET_READ
    return Allow(rule="read")


def decide_write(use: ToolUse, path: str, access: FileAccess) -> PolicyDecision:
    """Allow the workspace and the paths of the settings, except protected ones.

    Some texts need a person's approval.
    """
    inside = _relative_to_first(path, (access.workspace, *access.writable))
    if inside is None:
        return OUTSIDE_WRITE
    if part := protected_part(inside, access.protected):
        return deny_protected(part)
    text = str(use.input.get(_TEXT_ARGUMENT[use.name]) or "")
    if gate := find_content_gate(inside, text):
        return Ask(gate.reason, f"{use.name} {inside}\n{text}", gate.rule)
    return Allow(rule="write")


def deny_protected(part: str) -> Deny:
    """The refusal to write a protected path."""
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
    """The path relative to the first root that contains it."""
    for root in roots:
        try:
            return PurePosixPath(path).relative_to(root)
        except ValueError:
            continue
    return None
