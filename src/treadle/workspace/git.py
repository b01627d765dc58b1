"""Runs git commands with a time limit and a safe environment."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from treadle.domain.errors import TreadleError

# For our own writes: no code of the user's runs unasked, nothing is signed or packed behind a run.
QUIET_OPTIONS = (
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false",
    "-c", "core.safecrlf=false",
    "-c", "gc.auto=0",
    "-c", "maintenance.auto=false",
    "-c", "commit.gpgSign=false",
    "-c", "submodule.recurse=false",
)  # fmt: skip

# Set when we are started from a git hook; they would send our commands to another repository.
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
_FIXED = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


class GitFailed(TreadleError):
    """Git refused something that works in a healthy repository."""


@dataclass(frozen=True, slots=True)
class GitResult:
    """What a command left behind; an exit code other than 0 is an answer, too."""

    exit_code: int
    output: str
    stderr: str

    @property
    def ok(self) -> bool:
        return self.exit_code == 0

    @property
    def error_line(self) -> str:
        """The one line of the complaint that says what is wrong."""
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
    limit_s: float = 120.0

    async def run(self, *arguments: str, stdin: bytes = b"") -> str:
        """The output without its last newline; a failure raises GitFailed."""
        ran = await self.try_run(*arguments, stdin=stdin)
        if not ran.ok:
            raise GitFailed(
                f"git {_command(arguments)} failed in {self.directory}: {ran.error_line}",
                hint="see what `git status` says there, put it right, then start again",
            )
        return ran.output

    async def try_run(self, *arguments: str, stdin: bytes = b"") -> GitResult:
        """The same for commands that may fail in a healthy repository."""
        process = self._start(arguments, subprocess.PIPE if stdin else subprocess.DEVNULL)
        # In a thread of the pool: asyncio would start one for each command, which takes longer.
        talking = asyncio.ensure_future(asyncio.to_thread(process.communicate, stdin or None))
        try:
            async with asyncio.timeout(self.limit_s):
                output, complaint = await asyncio.shield(talking)
        except TimeoutError:
            raise GitFailed(
                f"git {_command(arguments)} was still running after {self.limit_s:g} s"
                f" in {self.directory} and was ended",
                hint="is the disk slow, or does another program hold a lock there?",
            ) from None
        finally:
            if not talking.done():
                # Its own session: transports and filters that it started end with it.
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await asyncio.wait({talking})
        return GitResult(
            process.returncode,
            os.fsdecode(output).removesuffix("\n"),
            os.fsdecode(complaint),
        )

    def _start(self, arguments: tuple[str, ...], stdin: int) -> "subprocess.Popen[bytes]":
        command = ("git", "-C", str(self.directory), *self.options, *arguments)
        try:
            return subprocess.Popen(
                command,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**self.environment, **_FIXED},
                cwd="/",
                start_new_session=True,
            )
        except FileNotFoundError:
            raise GitFailed(
                "git was not found", hint="install git (2.31 or newer) and put it on your PATH"
            ) from None

    def with_index(self, index: Path) -> "Git":
        """The same repository seen through another index file."""
        return self.with_variables(GIT_INDEX_FILE=str(index))

    def with_variables(self, **variables: str) -> "Git":
        return replace(self, environment={**self.environment, **variables})

    async def commit_of(self, name: str) -> str | None:
        """The commit that a name stands for, if there is one."""
        ran = await self.try_run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        return ran.output if ran.ok else None

    async def is_ancestor(self, older: str, newer: str) -> bool:
        return (await self.try_run("merge-base", "--is-ancestor", older, newer)).ok


async def run_together(*asked: Coroutine[Any, Any, GitResult]) -> list[GitResult]:
    """The answers to commands that do not depend on each other; none runs on when one fails."""
    answers = await asyncio.gather(*asked, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return [answer for answer in answers if isinstance(answer, GitResult)]


def _command(arguments: tuple[str, ...]) -> str:
    """The command's own name, behind the options that come with a value."""
    at = 0
    while arguments[at] == "-c":
        at += 2
    return arguments[at]


def user_git(directory: Path, environment: Mapping[str, str]) -> Git:
    """Git as the user has it set up, in a repository of theirs."""
    kept = {name: value for name, value in environment.items() if name not in _REDIRECTIONS}
    return Git(directory, kept)
