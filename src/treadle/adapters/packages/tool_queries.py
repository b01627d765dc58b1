"""Asks the user's package tools on the host, and remembers their answers for a while."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TypeAlias

from treadle.adapters.packages.package_sources import SkippedTool
from treadle.adapters.sandboxes.command_runner import Capture, run_to_end
from treadle.domain.sandbox import ConfinedCommand

TOOL_ANSWER_S = 10.0
# Long enough for a setup and the session after it; short enough for a user who mends a file.
REMEMBERED_S = 300.0
MAX_FILE_BYTES = 1 << 20
# No tool downloads another tool, or looks for a newer version, to answer.
_QUIET: Mapping[str, str] = {
    **{"COREPACK_ENABLE_NETWORK": "0", "npm_config_update_notifier": "false"},
    **{"PIP_DISABLE_PIP_VERSION_CHECK": "1", "COMPOSER_DISABLE_NETWORK": "1"},
}

_Key: TypeAlias = tuple[tuple[str, ...], frozenset[tuple[str, str]], float]


@dataclass(frozen=True, slots=True)
class ToolQueries:
    """Runs tools of one PATH with the user's variables."""

    environment: Mapping[str, str] = field(repr=False)
    search_path: str
    seconds: float = TOOL_ANSWER_S

    def find(self, tool: str) -> str | None:
        """The program of a tool, if it is installed."""
        return which(tool, path=self.search_path)

    def find_real(self, tool: str) -> Path | None:
        """The file that the program of a tool is a link to."""
        program = self.find(tool)
        return Path(program).resolve() if program else None

    async def ask(self, tool: str, *arguments: str) -> str | SkippedTool | None:
        """The standard output of an installed tool; None if it is not installed."""
        program = self.find(tool)
        if program is None:
            return None
        answer = await self.run((program, *arguments))
        return answer if isinstance(answer, str) else SkippedTool(tool, answer.reason)

    async def run(
        self,
        command: tuple[str, ...],
        *,
        variables: Mapping[str, str] | None = None,
        scratch_variable: str = "",
        capture: Capture = "output",
    ) -> str | SkippedTool:
        """The output of a command. With `joined` output, its exit code does not matter. The scratch
        variable names an empty directory."""
        environment = {**self.environment, "PATH": self.search_path, **_QUIET, **(variables or {})}
        key = (command, frozenset(environment.items()), self.seconds)
        time, answer = _memory().get(key, (-REMEMBERED_S, None))
        if answer is None or monotonic() - time >= REMEMBERED_S:
            with TemporaryDirectory(prefix="treadle-") as folder:
                scratch = {scratch_variable: folder} if scratch_variable else {}
                start = ConfinedCommand(command, environment | scratch)
                answer = await self._run(start, capture)
            _memory()[key] = (monotonic(), answer)
        return answer

    async def _run(self, command: ConfinedCommand, capture: Capture) -> str | SkippedTool:
        name = Path(command.command[0]).name
        try:
            # Not in the project, whose files could name another program to run instead.
            ran = await run_to_end(
                command, directory=Path("/"), seconds=self.seconds, capture=capture
            )
        except OSError as error:
            return SkippedTool(name, f"did not start: {error.strerror}")
        if ran.exit_code is None:
            return SkippedTool(name, f"no answer within {self.seconds:g} seconds")
        if ran.exit_code != 0 and capture == "output":
            return SkippedTool(name, f"ended with exit code {ran.exit_code}")
        return ran.output


@cache
def _memory() -> dict[_Key, tuple[float, str | SkippedTool]]:
    """The answers of this process."""
    return {}


@dataclass(frozen=True, slots=True)
class FileReader:
    """Reads configuration files and remembers their contents."""

    contents: dict[Path, str] = field(default_factory=dict, repr=False)

    def read(self, path: Path) -> str:
        """The text of a regular file; empty if there is none. A relative path may lead into the
        project, so it is not read."""
        if not path.is_absolute():
            return ""
        if path not in self.contents:
            self.contents[path] = read_file(path, os.O_NONBLOCK)
        return self.contents[path]


def read_file(path: Path, flags: int) -> str:
    """The text of a regular file; empty if there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | flags)
        with os.fdopen(descriptor, "rb") as file:
            return file.read(MAX_FILE_BYTES).decode(errors="replace")
    except (OSError, ValueError):
        return ""
