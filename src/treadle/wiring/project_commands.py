"""Runs commands of the project (setup, checks, tests) in the sandbox."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from treadle.adapters.processes.marked_processes import SESSION_MARK
from treadle.adapters.sandboxes.command_runner import Capture, ProcessResult, run_to_end
from treadle.domain.errors import SandboxBroken
from treadle.domain.sandbox import ConfinedCommand, Confinement, Sandbox, SandboxFailed
from treadle.gateway.sandbox_network import Record, SandboxNetwork, host_recorder
from treadle.policy.redaction import Redactor
from treadle.settings.environment import agent_environment
from treadle.wiring.checked_request import CheckedRequest
from treadle.wiring.run_context import RunContext


@dataclass(frozen=True, slots=True)
class CommandBounds:
    """What applies to all commands of a run."""

    checked: CheckedRequest
    # None: a person switched it off.
    sandbox: Sandbox | None
    stop: asyncio.Event
    clean: Redactor
    # Records the hosts that a command connects to.
    record: Record
    # The mark of its processes. A process that continues a run ends those with the run's id.
    mark: str


@dataclass(frozen=True, slots=True)
class ProjectCommand:
    """A shell line, its confinement and its variables."""

    line: str
    confinement: Confinement
    seconds: float
    variables: Mapping[str, str] = field(default_factory=dict)
    # Replace all others in a sandbox.
    sandbox_variables: Mapping[str, str] = field(default_factory=dict)
    capture: Capture = "joined"


def command_bounds(context: RunContext) -> CommandBounds:
    """Needs a running event loop."""
    return CommandBounds(
        checked=context.checked,
        sandbox=context.sandbox,
        stop=context.stop.event,
        clean=context.redact,
        record=host_recorder(context.recorder),
        mark=context.run,
    )


async def run_project_command(
    bounds: CommandBounds, command: ProjectCommand, network: SandboxNetwork
) -> ProcessResult:
    """Run to the end. A failed sandbox raises, because it is no result of the command."""
    sandbox = bounds.sandbox
    start = _start(bounds, command, network)
    if isinstance(start, SandboxFailed):
        raise _broken(start)
    result = await run_to_end(
        start,
        directory=command.confinement.workspace,
        seconds=command.seconds,
        capture=command.capture,
        failure=None if sandbox is None else sandbox.failure,
    )
    if result.sandbox_failure is not None:
        raise _broken(result.sandbox_failure)
    return result


def command_variables(checked: CheckedRequest, more: Mapping[str, str]) -> dict[str, str]:
    """What every agent gets, and no variable of this one, such as its login: the command runs
    untrusted code."""
    shared = agent_environment(checked.environment.raw)
    return {**shared, **checked.reach.environment, **more}


def _start(
    bounds: CommandBounds, command: ProjectCommand, network: SandboxNetwork
) -> ConfinedCommand | SandboxFailed:
    line, confinement, sandbox = (
        ("/bin/sh", "-c", command.line),
        command.confinement,
        bounds.sandbox,
    )
    environment = {
        **command_variables(bounds.checked, command.variables),
        SESSION_MARK: bounds.mark,
    }
    confinement.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    if sandbox is None:
        return ConfinedCommand(line, {**environment, "HOME": str(confinement.home)})
    with_network = replace(
        confinement,
        network=network.network,
        readable=(*confinement.readable, *network.readable),
        sockets=network.sockets,
    )
    variables = {**network.environment(environment), **command.sandbox_variables}
    return sandbox.confine([*network.entry, *sandbox.launcher(), *line], variables, with_network)


def _broken(failure: SandboxFailed) -> SandboxBroken:
    return SandboxBroken(failure.message, hint=failure.hint or "run `treadle doctor`")
