"""One line for a tool call: the tool's title and its most useful argument."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from treadle.domain.agent import OWN_TOOLS

PATHS = ("file_path", "notebook_path", "path")

# The argument that says what a call is about; for other tools it is the first text.
MAIN_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "Bash": ("command",),
    "BashOutput": ("bash_id",),
    "KillShell": ("shell_id",),
    "Read": ("file_path",),
    "Write": ("file_path",),
    "Edit": ("file_path",),
    "MultiEdit": ("file_path",),
    "NotebookEdit": ("notebook_path",),
    "Glob": ("pattern",),
    "Grep": ("pattern",),
    "WebFetch": ("url",),
    "WebSearch": ("query",),
    "Task": ("description", "prompt"),
    "Agent": ("description", "prompt"),
    "Skill": ("skill", "command"),
}
LONGEST = 500


def tool_title(name: str) -> str:
    """`set_deliverable_status` for a tool of ours, `server/tool` for one of another server."""
    if name.startswith(OWN_TOOLS):
        return name.removeprefix(OWN_TOOLS)
    if name.startswith("mcp__"):
        server, _, tool = name.removeprefix("mcp__").partition("__")
        return f"{server}/{tool}" if tool else server
    return name


def main_argument(name: str, arguments: Mapping[str, Any], *, workspace: str) -> str:
    """One line: the command, the path inside the workspace, the pattern, or the first text."""
    if name.startswith(OWN_TOOLS):
        return _ids_or_text(arguments)
    if name == "TodoWrite":
        return _current_todo(arguments)
    for key in MAIN_ARGUMENTS.get(name, ()):
        if isinstance(value := arguments.get(key), str) and value:
            return relative_to_workspace(value, workspace) if key in PATHS else _first_line(value)
    return next((_first_line(text) for text in _texts(arguments)), "")


def relative_to_workspace(path: str, workspace: str) -> str:
    """The path relative to the workspace; a path outside it stays as it is."""
    if not workspace or len(path) > LONGEST:
        return path
    pure = PurePosixPath(path)
    return str(pure.relative_to(workspace)) if pure.is_relative_to(workspace) else path


def _first_line(text: str) -> str:
    lines = text[: LONGEST * 4].strip().splitlines()
    return f"{lines[0]} …" if len(lines) > 1 else "".join(lines)


def _ids_or_text(arguments: Mapping[str, Any]) -> str:
    """`DL-001, DL-002` of a list of deliverables; else the texts of the call in their order."""
    for value in arguments.values():
        if isinstance(value, list):
            ids = [str(entry["id"]) for entry in value if isinstance(entry, dict) and "id" in entry]
            if ids:
                return ", ".join(ids)
    return " ".join(_first_line(value) for value in arguments.values() if isinstance(value, str))


def _current_todo(arguments: Mapping[str, Any]) -> str:
    todos = arguments.get("todos")
    entries = [t for t in todos if isinstance(t, dict)] if isinstance(todos, list) else []
    for entry in entries:
        if entry.get("status") == "in_progress":
            return str(entry.get("content", ""))
    done = sum(entry.get("status") == "completed" for entry in entries)
    return f"{done} of {len(entries)} done"


def _texts(value: object, depth: int = 3) -> Iterator[str]:
    if isinstance(value, str) and value.strip():
        yield value
    elif depth and isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner, depth - 1)
    elif depth and isinstance(value, list):
        for inner in value:
            yield from _texts(inner, depth - 1)
