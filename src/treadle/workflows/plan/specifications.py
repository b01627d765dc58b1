"""Where a planning session writes: the folder of specifications, and the file beside it by tool."""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treadle.domain.agent import Tool, ToolReply
from treadle.domain.errors import ProjectError
from treadle.domain.wire import without_surrogates
from treadle.workspace.hostile_files import read_start

LARGEST = 4_000_000
_SCHEMA = {
    "type": "object",
    "properties": {
        "old": {"type": "string", "description": "The text to replace; empty: the whole file."},
        "new": {"type": "string", "description": "The text in its place."},
    },
    "required": ["old", "new"],
}


def writable_folder(workspace: Path, specs: str) -> tuple[Path, ...]:
    """The folder of specifications in the clone, made if it does not exist; none if the project has
    no folder for them alone. Raises ProjectError for one that leads elsewhere."""
    folder = workspace / specs.strip("/")
    if folder == workspace:
        return ()
    if folder.resolve() != workspace.resolve() / specs.strip("/"):
        raise ProjectError(
            f"{specs} is a link, or behind one", hint="name a folder with project.specs"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ProjectError(
            f"{specs} is not a folder: {error.strerror}", hint="name one with project.specs"
        ) from error
    return (folder,)


@dataclass(frozen=True, slots=True)
class SpecificationFile:
    """A file that no sandbox can make writable by itself, because editors replace files."""

    workspace: Path
    # Relative to the workspace.
    name: str

    def tool(self) -> Tool:
        return Tool(
            "edit_specification",
            f"Change {self.name}, or begin it. It is read-only for every other tool.",
            _SCHEMA,
            self._edit,
        )

    async def _edit(self, arguments: Mapping[str, Any]) -> ToolReply:
        old, new = arguments.get("old"), arguments.get("new")
        if not isinstance(old, str) or not isinstance(new, str):
            return ToolReply("Pass `old` and `new`, both as text.", is_error=True)
        path = self.workspace / self.name
        if path.resolve() != self.workspace.resolve() / self.name:
            return ToolReply(f"{self.name} is a link, or behind one.", is_error=True)
        if not old:
            return _write(path, new)
        text = (read_start(path, LARGEST) or b"").decode(errors="surrogateescape")
        if (found := text.count(old)) != 1:
            return ToolReply(f"`old` is in {self.name} {found} times, not once.", is_error=True)
        return _write(path, text.replace(old, new))


def _write(path: Path, text: str) -> ToolReply:
    if len(text) > LARGEST:
        return ToolReply(f"More than {LARGEST:,} characters.", is_error=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o666), "wb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return ToolReply(f"{path.name} is not a plain file.", is_error=True)
        file.write(without_surrogates(text).encode())
    return ToolReply(f"{path.name} is written.")
