"""What all commands of a project are made from: its setup, its checks and its tests."""

import asyncio
from dataclasses import dataclass

from treadle.adapters.disk.disk_limits import MEASURE_S
from treadle.adapters.project_commands.command import CommandBounds
from treadle.domain.sandbox import Sandbox
from treadle.gateway.sandbox_network import Record, host_recorder
from treadle.policy.redaction import Redactor
from treadle.settings.environment import agent_environment
from treadle.wiring.checked_request import CheckedRequest
from treadle.wiring.limits import disk_watch
from treadle.wiring.run_context import RunContext


@dataclass(frozen=True, slots=True)
class ProjectCommandContext:
    """What the commands of a project are made from."""

    checked: CheckedRequest
    # None: a person switched it off.
    sandbox: Sandbox | None
    stop: asyncio.Event
    clean: Redactor
    # Records the hosts that a command connects to.
    record: Record
    # See `CommandBounds`.
    mark: str


def command_context(context: RunContext) -> ProjectCommandContext:
    """Needs a running event loop."""
    return ProjectCommandContext(
        checked=context.checked,
        sandbox=context.sandbox,
        stop=context.stop.event,
        clean=context.redact,
        record=host_recorder(context.recorder),
        mark=context.run,
    )


def command_bounds(context: ProjectCommandContext) -> CommandBounds:
    checked = context.checked
    shared = agent_environment(checked.environment.raw)
    variables = {**shared, **checked.reach.environment}
    home_files = checked.indexes.home_files if checked.indexes else {}
    root = checked.environment.root
    disk = disk_watch(checked.settings.sandbox, root, first_measure_s=MEASURE_S)
    return CommandBounds(context.sandbox, variables, home_files, context.mark, disk.wait)
