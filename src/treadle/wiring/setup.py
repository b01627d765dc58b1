"""Makes the setup of a run's workspace, and the setup command, from the settings."""

from pathlib import Path

from treadle.adapters.project_commands.setup import SetupCommand
from treadle.domain.sandbox import Network
from treadle.gateway.allowed_hosts import parse_entries
from treadle.wiring.project_commands import ProjectCommandContext, command_bounds, command_context
from treadle.wiring.run_context import RunContext
from treadle.wiring.sandbox_network import sandbox_network
from treadle.wiring.sandboxed_agent import confinement
from treadle.workflows.loop.workspace_setup import WorkspaceSetup

# A file of the run.
SETUP_MARKER = "setup-done"


def workspace_setup(context: RunContext, workspace: Path) -> WorkspaceSetup:
    """The setup of a run's workspace. Needs a running event loop."""
    checked = context.checked
    command = setup_command(command_context(context))
    return WorkspaceSetup(
        command=command.line,
        workspace=workspace,
        marker=checked.directory / SETUP_MARKER,
        confine=lambda: confinement(checked, workspace=workspace, home=checked.private_home),
        run=command.run,
        stop=context.stop.event,
        log=context.recorder,
        included=checked.included,
    )


def setup_command(context: ProjectCommandContext) -> SetupCommand:
    """The setup command of the project, with access to the package indexes of this machine."""
    checked, settings = context.checked, context.checked.settings
    indexes = checked.indexes
    network: Network = "open" if settings.sandbox.network == "open" else "allowlist"
    hosts = parse_entries(settings.sandbox.hosts)
    names = (
        *(f"{entry.host}:{entry.port}" for entry in hosts),
        *(index.host for index in (indexes.indexes if indexes else ())),
    )
    return SetupCommand(
        line=settings.project.setup.strip(),
        seconds=settings.session.tool_minutes * 60,
        bounds=command_bounds(context),
        open_network=lambda: sandbox_network(checked, network, hosts, context.record, indexes),
        hosts=tuple(dict.fromkeys(names)),
        variables=indexes.variables if indexes else {},
        clean=context.clean,
    )
