"""Sets a run's workspace up before a session, if it needs it."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import SetupFinished
from treadle.domain.ports import Log
from treadle.domain.sandbox import Confinement
from treadle.session.stop_signal import unless_stopped
from treadle.workflows.loop.instructions import prompt_text
from treadle.workflows.loop.prompt_fences import in_fence
from treadle.workspace.included_files import IncludedFiles
from treadle.workspace.manifests import missing_setup_files, setup_fingerprint

# As shells exit after an interrupt.
STOPPED = 130
# A failed setup is not tried more often before the manifests change.
MAX_TRIES = 3

# Runs the setup command in the workspace of the confinement; a failing sandbox raises.
RunSetup = Callable[[Confinement], Coroutine[Any, Any, SetupFinished]]


@dataclass(frozen=True, slots=True)
class SetupRuns:
    """The setup command with the network that a tree may have: a tree that an agent changed decides
    what the command does, so it reaches no more than the agent."""

    # Also reaches the hosts that the user opened for setup alone.
    on_own_tree: RunSetup
    on_changed_tree: RunSetup


@dataclass(frozen=True, slots=True)
class WorkspaceSetup:
    """Runs the setup command, unless the workspace is up to date or the setup has failed too
    often."""

    # Empty: the project has none.
    command: str
    workspace: Path
    # A file: the fingerprint of the last successful setup.
    marker: Path
    confine: Callable[[], Confinement]
    runs: SetupRuns
    # Whether the workspace is as the user's checkout was.
    is_own_tree: Callable[[], bool]
    stop: asyncio.Event
    log: Log
    included: IncludedFiles = field(default_factory=IncludedFiles)
    _failures: dict[str, int] = field(default_factory=dict)
    _last_failures: dict[str, SetupFinished] = field(default_factory=dict)

    def awaited_files(self) -> tuple[str, ...]:
        """The files that the command needs and that do not exist yet, as in a new project."""
        if not self.command:
            return ()
        return missing_setup_files(self.workspace, self.command, self.included.names)

    async def prepare(self) -> SetupFinished | None:
        """Set the workspace up if it needs that; None if it needs nothing. A failure that is not
        tried again is returned again."""
        self.included.leave_for_agent(self.workspace)
        if awaited := self.awaited_files():
            waits = f"setup waits until there is {', '.join(awaited)}: {self.command}"
            self.log.record(RunWarned(waits), once="setup waits")
            return None
        needed = setup_fingerprint(self.workspace, self.command)
        last = self.marker.read_text() if self.marker.is_file() else ""
        failures = self._failures.get(needed, 0)
        if not self.command or not is_due(needed, last=last, failures=failures):
            return self._last_failures.get(needed)
        finished = await self._run_unless_stopped()
        self.log.record(finished)
        # Computed again, because the setup may have changed a lock file.
        fingerprint = setup_fingerprint(self.workspace, self.command)
        if finished.exit_code == 0:
            self.marker.write_text(fingerprint)
        else:
            self._failures[fingerprint] = failures + 1
            self._last_failures[fingerprint] = finished
        return finished

    async def _run_unless_stopped(self) -> SetupFinished:
        started = monotonic()
        run = self.runs.on_own_tree if self.is_own_tree() else self.runs.on_changed_tree
        with self.included.in_workspace(self.workspace):
            finished = await unless_stopped(run(self.confine()), self.stop)
        if finished is not None:
            return finished
        duration = round(monotonic() - started, 3)
        return SetupFinished(self.command, STOPPED, duration, "stopped")


def is_due(needed: str, *, last: str, failures: int) -> bool:
    """Whether the needed setup differs from the last one, and may still succeed."""
    return needed != last and failures < MAX_TRIES


def setup_prompt(finished: SetupFinished | None) -> str:
    """The part of a prompt about a setup that failed; empty if none did."""
    if finished is None or finished.exit_code in (0, STOPPED):
        return ""
    text = prompt_text("loop", "setup_failed").replace("{code}", str(finished.exit_code))
    return text.replace("{cause}", in_fence("\n".join((f"$ {finished.command}", *finished.cause))))
