"""Makes the setup of a run's workspace, and the setup command, from the settings."""

from pathlib import Path

from treadle.adapters.project_commands.setup import IndexSearch, SetupCommand
from treadle.adapters.sandboxes.toolchains import PROFILES
from treadle.domain.sandbox import Network
from treadle.gateway.index_network import open_index_network
from treadle.gateway.proxy_variables import proxy_for
from treadle.wiring.checked_request import CheckedRequest
from treadle.wiring.project_commands import ProjectCommandContext, command_bounds, command_context
from treadle.wiring.run_context import RunContext
from treadle.wiring.sandbox_network import sandbox_network
from treadle.wiring.sandboxed_agent import confinement
from treadle.wiring.search_path import path_outside
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
    checked = context.checked
    settings = checked.settings
    network: Network = "open" if settings.sandbox.network == "open" else "allowlist"
    return SetupCommand(
        line=settings.project.setup.strip(),
        seconds=settings.session.tool_minutes * 60,
        bounds=command_bounds(context),
        search=_index_search(checked),
        open_network=lambda indexes: open_index_network(
            indexes,
            settings.sandbox.hosts,
            lambda entries: sandbox_network(checked, network, entries, context.record),
        ),
        clean=context.clean,
    )


def _index_search(checked: CheckedRequest) -> IndexSearch:
    raw = checked.environment.raw
    return IndexSearch(
        profiles=checked.settings.policy.profiles or PROFILES,
        environment=raw,
        search_path=path_outside(checked.environment.path, checked.project.root),
        project_root=checked.project.root,
        proxy_for=None if checked.request.rehearsal else lambda url: proxy_for(url, raw),
    )
