"""Runs one command of the project (setup, check, tests) in the sandbox."""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from treadle.adapters.packages.home_files import write_home_files
from treadle.adapters.processes.marked_processes import SESSION_MARK
from treadle.adapters.sandboxes.command_runner import Capture, ProcessResult, run_to_end
from treadle.domain.errors import SandboxBroken
from treadle.domain.sandbox import ConfinedCommand, Confinement, Network, Sandbox, SandboxFailed
from treadle.verify.results.check_runner import CheckCommand


class NetworkAccess(Protocol):
    """An open network of a sandbox."""

    @property
    def network(self) -> Network: ...

    @property
    def sockets(self) -> Mapping[str, Path]: ...

    @property
    def readable(self) -> tuple[Path, ...]: ...

    @property
    def entry(self) -> tuple[str, ...]:
        """The prefix of a command inside, which connects it to the network."""
        ...

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """These variables with the right proxy, or with none."""
        ...


@dataclass(frozen=True, slots=True)
class CommandBounds:
    """What applies to all commands of a run."""

    # None: a person switched it off.
    sandbox: Sandbox | None
    # Without those of the agent, such as its login: a command runs untrusted code.
    variables: Mapping[str, str] = field(repr=False)
    # Files of the private home that package tools read.
    home_files: Mapping[str, str]
    # The mark of its processes. A process that continues a run ends those with the run's id.
    mark: str
    # Returns once the folders take too much, or their disk is nearly full; None: nobody looks.
    disk_problem: Callable[[Sequence[Path]], Coroutine[Any, Any, str]] | None = None


@dataclass(frozen=True, slots=True)
class ProjectCommand:
    """A shell line, its confinement and its variables."""

    line: str
    confinement: Confinement
    seconds: float
    variables: Mapping[str, str] = field(default_factory=dict)
    capture: Capture = "joined"


async def run_project_command(
    bounds: CommandBounds, command: ProjectCommand, network: NetworkAccess
) -> ProcessResult:
    """Run to the end. A failed sandbox raises, because it is no result of the command; what a
    limit did is said at the end of the output."""
    sandbox = bounds.sandbox
    start = _start(bounds, command, network)
    if isinstance(start, SandboxFailed):
        raise _broken(start)
    running = run_to_end(
        start,
        directory=command.confinement.workspace,
        seconds=command.seconds,
        capture=command.capture,
        failure=None if sandbox is None else sandbox.failure,
    )
    result = await _unless_disk_full(running, bounds, command.confinement)
    if result.sandbox_failure is not None:
        raise _broken(result.sandbox_failure)
    if result.exceeded:
        return replace(result, output=f"{result.output.rstrip()}\n({result.exceeded})\n".lstrip())
    return result


async def _unless_disk_full(
    running: Coroutine[Any, Any, ProcessResult], bounds: CommandBounds, within: Confinement
) -> ProcessResult:
    """The result, also of a command that was ended because of the disk: as if it was killed."""
    if bounds.disk_problem is None:
        return await running
    ending = asyncio.ensure_future(running)
    watching = asyncio.ensure_future(bounds.disk_problem((within.workspace, within.home)))
    try:
        await asyncio.wait({ending, watching}, return_when=asyncio.FIRST_COMPLETED)
        if ending.done():
            return ending.result()
        return ProcessResult(-signal.SIGKILL, "", exceeded=watching.result())
    finally:
        for task in (ending, watching):
            task.cancel()
        # Its processes are gone once it has returned.
        await asyncio.wait({ending, watching})


@dataclass(frozen=True, slots=True)
class SandboxedCheckCommands:
    """The `CheckCommands` port: runs a check in the sandbox, with a network of its own."""

    bounds: CommandBounds
    open_network: Callable[[], AbstractContextManager[NetworkAccess]]

    async def run(self, check: CheckCommand, confinement: Confinement) -> ProcessResult:
        command = ProjectCommand(
            check.command,
            confinement,
            seconds=check.seconds,
            variables=check.variables,
            capture="whole",
        )
        with self.open_network() as network:
            return await run_project_command(self.bounds, command, network)


def _start(
    bounds: CommandBounds, command: ProjectCommand, network: NetworkAccess
) -> ConfinedCommand | SandboxFailed:
    line, confinement, sandbox = (
        ("/bin/sh", "-c", command.line),
        command.confinement,
        bounds.sandbox,
    )
    environment = {**bounds.variables, **command.variables, SESSION_MARK: bounds.mark}
    write_home_files(confinement.home, bounds.home_files)
    if sandbox is None:
        return ConfinedCommand(line, {**environment, "HOME": str(confinement.home)})
    with_network = replace(
        confinement,
        network=network.network,
        readable=(*confinement.readable, *network.readable),
        sockets=network.sockets,
    )
    variables = network.environment(environment)
    return sandbox.confine([*network.entry, *sandbox.launcher(), *line], variables, with_network)


def _broken(failure: SandboxFailed) -> SandboxBroken:
    return SandboxBroken(failure.message, hint=failure.hint or "run `treadle doctor`")
