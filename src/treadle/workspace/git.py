"""Runs git commands with a time limit and a safe environment."""

import asyncio
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from treadle.domain.errors import TreadleError
from treadle.workspace.project_root import find_project_root
from treadle.workspace.search_path import find_git, may_be_written, path_outside_first

A = TypeVar("A")
B = TypeVar("B")

# For Treadle's own writes: no hooks of the user run, nothing is signed or packed.
QUIET_OPTIONS = (
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false",
    "-c", "core.safecrlf=false",
    "-c", "gc.auto=0",
    "-c", "maintenance.auto=false",
    "-c", "commit.gpgSign=false",
    "-c", "submodule.recurse=false",
    "-c", "log.showSignature=false",
)  # fmt: skip

# Git sets these for hooks; they would redirect our commands to another repository.
_REDIRECTIONS = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_QUARANTINE_PATH",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)
# For a small repository. A large one gets more: five milliseconds for a file of the index, which
# takes about 100 bytes there, and a second for five megabytes of packs.
LEAST_LIMIT_S = 120.0
_INDEX_BYTES_PER_S = 20_000
_PACK_BYTES_PER_S = 5_000_000

# Of one command line, far below what any system allows; and of one path on any disk.
_LONGEST_ARGUMENTS = 96 * 1024
_LONGEST_PATH = 4_096
_PER_ARGUMENT = 16

_FIXED = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


class GitFailed(TreadleError):
    """A git command failed that works in a healthy repository."""


class GitTimedOut(GitFailed):
    """A git command was still running at its time limit, and was ended."""


@dataclass(frozen=True, slots=True)
class GitResult:
    """The result of a command; a non-zero exit code may be an answer."""

    exit_code: int
    output: str
    stderr: str

    @property
    def ok(self) -> bool:
        return self.exit_code == 0

    @property
    def error_line(self) -> str:
        """The line of stderr that names the error."""
        lines = [line.strip() for line in self.stderr.splitlines() if line.strip()]
        for line in lines:
            if line.startswith(("fatal: ", "error: ")):
                return line.split(": ", 1)[1]
        return lines[-1] if lines else f"exit code {self.exit_code}"


@dataclass(frozen=True, slots=True)
class Git:
    """Git in one directory with one environment."""

    directory: Path
    environment: Mapping[str, str] = field(repr=False, hash=False)
    options: tuple[str, ...] = QUIET_OPTIONS
    limit_s: float = LEAST_LIMIT_S
    # Looked up outside the project; empty if it is not there.
    program: str = "git"
    # How much memory one process may take; 0: any. An agent's objects can unfold to any size.
    memory_bytes: int = 0

    async def run(self, *arguments: str, stdin: bytes = b"") -> str:
        """Return the output without its last newline; a failure raises GitFailed."""
        result = await self.try_run(*arguments, stdin=stdin)
        if not result.ok:
            raise GitFailed(
                f"git {_command(arguments)} failed in {self.directory}: {result.error_line}",
                hint="see `git status` there, fix it, then start again",
            )
        return result.output

    async def try_run(self, *arguments: str, stdin: bytes = b"") -> GitResult:
        """Run a command that may fail in a healthy repository."""
        process = self._start(arguments, subprocess.PIPE if stdin else subprocess.DEVNULL)
        # In a pool thread: asyncio would start a new thread for each command, which is slower.
        communication = asyncio.ensure_future(asyncio.to_thread(process.communicate, stdin or None))
        try:
            async with asyncio.timeout(self.limit_s):
                output, stderr = await asyncio.shield(communication)
        except TimeoutError:
            raise GitTimedOut(
                f"git {_command(arguments)} was still running after {self.limit_s:g} s"
                f" in {self.directory} and was ended",
                hint="see whether the disk is slow, or another program holds a lock there",
            ) from None
        finally:
            if not communication.done():
                # The process has its own session, so its transports and filters end too.
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await asyncio.wait({communication})
        return GitResult(
            process.returncode,
            os.fsdecode(output).removesuffix("\n"),
            os.fsdecode(stderr),
        )

    def start(self, *arguments: str, stdin: int) -> "subprocess.Popen[bytes]":
        """Start a command whose output the caller reads in pieces; see `output_pieces`."""
        return self._start(arguments, stdin)

    def _start(self, arguments: tuple[str, ...], stdin: int) -> "subprocess.Popen[bytes]":
        try:
            process = subprocess.Popen(
                self.command(*arguments),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**self.environment, **_FIXED},
                cwd="/",
                start_new_session=True,
            )
        except FileNotFoundError:
            raise self._not_found() from None
        if self.memory_bytes:
            _limit_memory(process.pid, self.memory_bytes)
        return process

    def command(self, *arguments: str) -> tuple[str, ...]:
        """The whole command line, for a caller that starts it differently."""
        if not self.program:
            raise self._not_found()
        return (self.program, "-C", str(self.directory), *self.options, *arguments)

    def _not_found(self) -> GitFailed:
        return GitFailed(
            "git was not found",
            hint="install git (2.31 or newer) and put it on your PATH, outside the project",
        )

    def with_index(self, index: Path) -> "Git":
        """The same repository with another index file."""
        return self.with_variables(GIT_INDEX_FILE=str(index))

    def with_options(self, *options: str) -> "Git":
        """The same repository with further options before the command."""
        return replace(self, options=(*self.options, *options))

    def with_variables(self, **variables: str) -> "Git":
        return replace(self, environment={**self.environment, **variables})

    async def commit_of(self, name: str) -> str | None:
        """The commit that a name refers to, if there is one."""
        result = await self.try_run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        return result.output if result.ok else None

    async def is_ancestor(self, older: str, newer: str) -> bool:
        return (await self.try_run("merge-base", "--is-ancestor", older, newer)).ok


async def run_together(*commands: Coroutine[Any, Any, GitResult]) -> list[GitResult]:
    """Run independent commands concurrently; all have ended before a failure is raised."""
    results = await asyncio.gather(*commands, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if isinstance(result, GitResult)]


async def both(first: Coroutine[Any, Any, A], second: Coroutine[Any, Any, B]) -> tuple[A, B]:
    """Run two independent pieces of work concurrently; both have ended before one's failure is
    raised."""
    one, other = asyncio.ensure_future(first), asyncio.ensure_future(second)
    await asyncio.gather(one, other, return_exceptions=True)
    return one.result(), other.result()


def argument_batches(paths: Iterable[str]) -> Iterator[list[str]]:
    """Paths for several command lines: the system limits the length of one, and an agent can make
    any number of paths. One that is longer than a disk allows is left out."""
    batch: list[str] = []
    room = _LONGEST_ARGUMENTS
    for path in paths:
        length = len(os.fsencode(path))
        if length > _LONGEST_PATH:
            continue
        if length > room:
            yield batch
            batch, room = [], _LONGEST_ARGUMENTS
        batch.append(path)
        room -= length + _PER_ARGUMENT
    if batch:
        yield batch


def _limit_memory(process: int, size: int) -> None:
    """From outside, so that no code of ours runs between fork and exec; only Linux can do it."""
    if sys.platform == "linux":
        # It may have ended, and a hard limit that is lower holds as it is.
        with suppress(ProcessLookupError, PermissionError, ValueError):
            resource.prlimit(process, resource.RLIMIT_DATA, (size, size))


def _command(arguments: tuple[str, ...]) -> str:
    """The name of the command, after the `-c` options."""
    position = 0
    while arguments[position] == "-c":
        position += 2
    return arguments[position]


def user_git(
    directory: Path, environment: Mapping[str, str], limit_s: float = LEAST_LIMIT_S
) -> Git:
    """Git with the user's own settings, in one of their repositories.

    Git itself is found outside the repository, whose files an agent may have written.
    """
    root = find_project_root(directory) or directory
    kept = {name: value for name, value in environment.items() if name not in _REDIRECTIONS}
    path = environment.get("PATH", os.defpath)
    if may_be_written(kept.get("GIT_EXEC_PATH", "/"), root):
        del kept["GIT_EXEC_PATH"]
    kept["PATH"] = path_outside_first(path, root)
    return Git(directory, kept, limit_s=limit_s, program=find_git(path, root))


def time_limit_s(*, index_bytes: int, pack_bytes: int) -> float:
    """How long one command may take in a repository of this size."""
    return LEAST_LIMIT_S + index_bytes / _INDEX_BYTES_PER_S + pack_bytes / _PACK_BYTES_PER_S
