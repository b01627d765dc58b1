"""Makes the setup of a run's workspace, and the setup command, from the settings."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

from treadle.adapters.project_commands.command import NetworkAccess
from treadle.adapters.project_commands.setup import RecordHost, SetupCommand, SetupNetwork
from treadle.domain.events.oversight import HostAsked
from treadle.domain.sandbox import Network
from treadle.gateway.allowed_hosts import HostAndPort, HostEntry, parse_entries
from treadle.gateway.sandbox_network import SandboxIndexes
from treadle.wiring.checked_request import CheckedRequest
from treadle.wiring.project_commands import ProjectCommandContext, command_bounds, command_context
from treadle.wiring.run_context import RunContext
from treadle.wiring.sandbox_network import closed_hosts, sandbox_network
from treadle.wiring.sandboxed_agent import confinement
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.workspace_setup import SetupRuns, WorkspaceSetup

# A file of the run.
SETUP_MARKER = "setup-done"


def workspace_setup(context: RunContext, workspace: RunWorkspace) -> WorkspaceSetup:
    """The setup of a run's workspace. Needs a running event loop."""
    checked, path = context.checked, workspace.path
    commands = command_context(context)

    def is_own_tree() -> bool:
        # A session is recorded before its agent starts.
        sessions = context.read_log(("session.started",))
        return workspace.starts_from_checkout and next(sessions, None) is None

    return WorkspaceSetup(
        command=checked.settings.project.setup.strip(),
        workspace=path,
        marker=checked.directory / SETUP_MARKER,
        confine=lambda: confinement(checked, workspace=path, home=checked.private_home),
        runs=setup_runs(commands),
        is_own_tree=is_own_tree,
        stop=context.stop.event,
        log=context.recorder,
        included=checked.included,
    )


def setup_runs(context: ProjectCommandContext) -> SetupRuns:
    """The setup command of the project, for the user's own tree and for changed ones."""
    return SetupRuns(
        on_own_tree=_command(context, _own_reach(context.checked)).run,
        on_changed_tree=_command(context, _changed_reach(context.checked)).run,
    )


@dataclass(frozen=True, slots=True)
class _SetupReach:
    network: Network
    hosts: tuple[HostEntry, ...]
    indexes: SandboxIndexes | None
    # See `SetupNetwork`.
    closed: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The hosts and ports that may be connected to."""
        listed = self.hosts if self.network == "allowlist" else ()
        names = (
            *(f"{entry.host}:{entry.port}" for entry in listed),
            *(index.host for index in (self.indexes.indexes if self.indexes else ())),
        )
        return tuple(dict.fromkeys(names))


def _own_reach(checked: CheckedRequest) -> _SetupReach:
    """All package indexes and `sandbox.hosts`, whatever sessions reach."""
    sandbox = checked.settings.sandbox
    network: Network = "open" if sandbox.network == "open" else "allowlist"
    return _SetupReach(network, parse_entries(sandbox.hosts), checked.indexes)


def _changed_reach(checked: CheckedRequest) -> _SetupReach:
    """What sessions reach, without the model."""
    sandbox, indexes = checked.settings.sandbox, checked.open_indexes
    hosts = parse_entries(sandbox.hosts)
    if sandbox.network == "open":
        return _SetupReach("open", hosts, indexes)
    open_hosts = hosts if sandbox.network == "allowlist" else ()
    closed = _closed_note(closed_hosts(checked, open_hosts, indexes))
    if indexes is None:
        # With a proxy, though it may refuse everything: it says why.
        return _SetupReach("allowlist", open_hosts, None, closed)
    return _SetupReach(sandbox.network, hosts, indexes, closed)


def _command(context: ProjectCommandContext, reach: _SetupReach) -> SetupCommand:
    checked, settings = context.checked, context.checked.settings

    def open_network(record: RecordHost) -> AbstractContextManager[NetworkAccess]:
        def record_both(asked: HostAsked) -> None:
            record(asked)
            context.record(asked)

        return sandbox_network(checked, reach.network, reach.hosts, record_both, reach.indexes)

    return SetupCommand(
        line=settings.project.setup.strip(),
        seconds=settings.session.tool_minutes * 60,
        bounds=command_bounds(context),
        network=SetupNetwork(open_network, reach.names, reach.closed),
        variables=reach.indexes.variables if reach.indexes else {},
        clean=context.clean,
    )


def _closed_note(closed: Mapping[HostAndPort, str]) -> str:
    if not closed:
        return ""
    reasons = "; ".join(dict.fromkeys(closed.values()))
    return f"an agent changed this tree, so its setup can reach only what sessions can: {reasons}"
