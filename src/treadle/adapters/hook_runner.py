"""Runs the user's hooks before tool uses."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from treadle.adapters.sandboxes.command_runner import run_to_end
from treadle.domain.hooks import HookExit, RunHook
from treadle.domain.sandbox import ConfinedCommand, SandboxFailed

# A hook is asked before every use of a tool; one that thinks longer holds everything up.
HOOK_S = 60.0
_MOST_STDERR = 16 * 1024

# How to start a command, or why it cannot be started.
Start: TypeAlias = Callable[[Sequence[str]], ConfinedCommand | SandboxFailed]


def unconfined(environment: Mapping[str, str]) -> Start:
    """With the user's rights: for runs that a person wanted without a sandbox."""

    def start(command: Sequence[str]) -> ConfinedCommand:
        return ConfinedCommand(tuple(command), environment)

    return start


def hook_runner(start: Start, *, directory: Path, seconds: float = HOOK_S) -> RunHook:
    """Runs a hook as a shell line in a directory; whatever goes wrong is how it ended."""

    async def run(command: str, given: bytes) -> HookExit:
        started = start(("/bin/sh", "-c", command))
        if isinstance(started, SandboxFailed):
            return HookExit(None, started.message)
        try:
            ran = await run_to_end(
                started, directory=directory, seconds=seconds, stdin=given, capture="errors"
            )
        except OSError as error:
            return HookExit(None, str(error))
        if ran.exit_code is None:
            return HookExit(None, f"no answer within {seconds:g} s")
        return HookExit(ran.exit_code, ran.error_output[:_MOST_STDERR])

    return run
