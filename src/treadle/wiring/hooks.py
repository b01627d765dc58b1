"""Runs the user's own hooks: one process each, confined or not, in bounded time."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from treadle.adapters.sandboxes.running import run_to_end
from treadle.domain.sandbox import Confined, SandboxFailed
from treadle.policy.user_hooks import HookEnded, files_of
from treadle.workflows.guard import RunHook

# A hook is asked before every use of a tool; one that thinks longer holds everything up.
HOOK_S = 60.0
_MOST_STDERR = 16 * 1024

# How to start a command, or why it cannot be started.
Start: TypeAlias = Callable[[Sequence[str]], Confined | SandboxFailed]


def hook_files(commands: Sequence[str], workspace: Path) -> tuple[str, ...]:
    """Files of the workspace that the user's hooks are made of: no agent changes them."""
    return tuple(name for name in files_of(commands) if (workspace / name).is_file())


def unconfined(environment: Mapping[str, str]) -> Start:
    """With the user's rights: for runs that a person wanted without a sandbox."""

    def start(command: Sequence[str]) -> Confined:
        return Confined(tuple(command), environment)

    return start


def hook_runner(start: Start, *, directory: Path, seconds: float = HOOK_S) -> RunHook:
    """Runs a hook as a shell line in a directory; whatever goes wrong is how it ended."""

    async def run(command: str, given: bytes) -> HookEnded:
        started = start(("/bin/sh", "-c", command))
        if isinstance(started, SandboxFailed):
            return HookEnded(None, started.message)
        try:
            ran = await run_to_end(
                started, directory=directory, seconds=seconds, given=given, hears="errors"
            )
        except OSError as error:
            return HookEnded(None, str(error))
        if ran.exit_code is None:
            return HookEnded(None, f"no answer within {seconds:g} s")
        return HookEnded(ran.exit_code, ran.complaint[:_MOST_STDERR])

    return run
