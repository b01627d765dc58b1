"""What confines the sessions of an agent."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from treadle.domain.agent import SessionBrief
from treadle.domain.agent_kind import SessionSandbox
from treadle.domain.sandbox import Confinement, Sandbox
from treadle.gateway.sandbox_network import BRIDGE, SandboxNetwork
from treadle.policy.modes import has_read_only_workspace
from treadle.policy.protected_paths import SEALED, SEALED_IF_THERE
from treadle.policy.roles import ROLES
from treadle.wiring.browser import Servers
from treadle.wiring.checked_request import CheckedRequest
from treadle.wiring.policy import confinement_facts
from treadle.wiring.protected_paths import sealed_paths
from treadle.workspace.alternates import alternates_files, lent_directories


def session_sandbox(
    sandbox: Sandbox,
    checked: CheckedRequest,
    network: SandboxNetwork,
    servers: Servers,
    tell: Callable[[str], None] = lambda told: None,
) -> SessionSandbox:
    """What confines each session of an agent, with the programs of this machine in reach; `tell`
    hears what its limits did."""
    readable = (
        *checked.reach.readable,
        *lent_directories(checked.project.git_dir, checked.directory),
        *network.readable,
        BRIDGE,
        *servers.readable,
    )

    read_only = has_read_only_workspace(checked.settings.policy.mode, confinement_facts(checked))

    def within(brief: SessionBrief) -> Confinement:
        if brief.writable is not None:
            return replace(
                confinement(checked, workspace=brief.workspace, home=brief.home),
                workspace_access="read",
                readable=readable,
                writable=brief.writable,
            )
        keeps = read_only and not ROLES[brief.role].writes
        return replace(
            confinement(checked, workspace=brief.workspace, home=brief.home),
            workspace_access="read" if keeps else "write",
            readable=readable,
        )

    return SessionSandbox(
        sandbox,
        within,
        environment_for=lambda given: {**network.environment(given), **checked.reach.environment},
        sockets=network.sockets,
        entry=network.entry,
        tell=tell,
    )


def confinement(checked: CheckedRequest, *, workspace: Path, home: Path) -> Confinement:
    """What the settings say about every confined process of a run."""
    kept = sealed_paths(checked.settings, workspace, checked.project.root, checked.host_files)
    there = [name for name in SEALED_IF_THERE if _is_ordinary(workspace / name)]
    return Confinement(
        workspace=workspace,
        home=home,
        network=checked.settings.sandbox.network,
        readable=checked.reach.readable,
        writable=checked.reach.writable,
        links=checked.reach.links,
        emptied=(
            *checked.package_logins.files,
            *checked.reach.private,
            *alternates_files(checked.project.git_dir),
        ),
        protected=tuple(Path(name) for name in (*SEALED, *there, *kept)),
        limits=checked.reach.limits,
    )


def _is_ordinary(path: Path) -> bool:
    """A link cannot be sealed; what an agent commits in its place does not come home."""
    return not path.is_symlink() and (path.is_file() or path.is_dir())
