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
    """What holds every such command of a run."""

    checked: CheckedRequest
    # None: a person has given it up.
    sandbox: Sandbox | None
    stop: asyncio.Event
    clean: Redactor
    # Hears of the hosts that a command asks for.
    record: Record
    # By what its processes are found. With the id of a run, whoever goes on with it ends them.
    mark: str


@dataclass(frozen=True, slots=True)
class ProjectCommand:
    """A shell line, the directory and the home that it has, and what it may reach besides."""

    line: str
    within: Confinement
    seconds: float
    variables: Mapping[str, str] = field(default_factory=dict)
    # Over all others, where there is a sandbox.
    inside: Mapping[str, str] = field(default_factory=dict)
    capture: Capture = "joined"


def command_bounds(context: RunContext) -> CommandBounds:
    """Ask for it where an event loop runs."""
    return CommandBounds(
        checked=context.checked,
        sandbox=context.sandbox,
        stop=context.stop.event,
        clean=context.redact,
        record=host_recorder(context.recorder),
        mark=context.run,
    )


async def run_project_command(
    bounds: CommandBounds, own: ProjectCommand, out: SandboxNetwork
) -> ProcessResult:
    """To its end. A sandbox that fails raises: it says nothing about the command."""
    sandbox = bounds.sandbox
    start = _start(bounds, own, out)
    if isinstance(start, SandboxFailed):
        raise _broken(start)
    ran = await run_to_end(
        start,
        directory=own.within.workspace,
        seconds=own.seconds,
        capture=own.capture,
        failure=None if sandbox is None else sandbox.failure,
    )
    if ran.sandbox_failure is not None:
        raise _broken(ran.sandbox_failure)
    return ran


def given_variables(checked: CheckedRequest, more: Mapping[str, str]) -> dict[str, str]:
    """Such a command runs the code of strangers: it is given what every agent
    gets, and no variable of this one's, such as its login."""
    shared = agent_environment(checked.environment.raw)
    return {**shared, **checked.reach.environment, **more}


def _start(
    bounds: CommandBounds, own: ProjectCommand, out: SandboxNetwork
) -> ConfinedCommand | SandboxFailed:
    line, within, sandbox = ("/bin/sh", "-c", own.line), own.within, bounds.sandbox
    environment = {**given_variables(bounds.checked, own.variables), SESSION_MARK: bounds.mark}
    within.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    if sandbox is None:
        return ConfinedCommand(line, {**environment, "HOME": str(within.home)})
    reached = replace(
        within,
        network=out.network,
        readable=(*within.readable, *out.readable),
        sockets=out.sockets,
    )
    given = {**out.environment(environment), **own.inside}
    return sandbox.confine([*out.entry, *sandbox.launcher(), *line], given, reached)


def _broken(failed: SandboxFailed) -> SandboxBroken:
    return SandboxBroken(failed.message, hint=failed.hint or "run `treadle doctor`")
