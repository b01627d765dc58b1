"""Puts an agent into the sandbox, and proves that the sandbox holds."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.adapters.agents.claude.sandboxed_start import AgentSandbox
from treadle.adapters.sandboxes.interpreter import this_interpreter
from treadle.domain.agent import SessionBrief
from treadle.domain.errors import AgentUnavailable, SandboxBroken
from treadle.domain.sandbox import Confinement, ProbePassed, Sandbox, SandboxFailed
from treadle.gateway.endpoint import Endpoint
from treadle.gateway.sandbox_network import BRIDGE, SandboxNetwork, bridge_to
from treadle.policy.protected_paths import SEALED, SEALED_IF_THERE
from treadle.settings.environment import agent_environment
from treadle.wiring.agent import KillableAgent
from treadle.wiring.agents import claude
from treadle.wiring.agents.claude_model import (
    MODEL_PORT,
    at_bridge,
    at_loopback,
    at_socket,
    keeps_its_login,
)
from treadle.wiring.browser import Servers
from treadle.wiring.checked_request import CheckedRequest
from treadle.wiring.protected_paths import sealed_paths
from treadle.wiring.sandbox import choose_sandbox
from treadle.wiring.search_path import without_project
from treadle.workspace.alternates import object_directories

# Where the model's socket lies inside.
MODEL = "/run/treadle/model.sock"


def sandboxed(
    agent: KillableAgent,
    sandbox: Sandbox,
    checked: CheckedRequest,
    network: SandboxNetwork,
    servers: Servers,
) -> ClaudeAgent:
    """The agent with each of its sessions confined, and the programs of this machine in reach."""
    if not isinstance(agent, ClaudeAgent):
        raise AgentUnavailable(
            "this agent cannot be confined", hint="use Claude Code, or give the sandbox up"
        )
    readable = (
        agent.binary,
        *checked.reach.readable,
        *object_directories(checked.project.git_dir),
        BRIDGE,
        *servers.readable,
    )
    writable = (*checked.reach.writable, *_lent_files(checked))

    def within(brief: SessionBrief) -> Confinement:
        return replace(
            confinement(checked, workspace=brief.workspace, home=brief.home),
            readable=readable,
            writable=writable,
        )

    return replace(
        agent,
        environment={**network.environment(agent.environment), **checked.reach.environment},
        sandbox=AgentSandbox(sandbox, within, network.sockets, network.entry),
    )


def confinement(checked: CheckedRequest, *, workspace: Path, home: Path) -> Confinement:
    """What the settings say about every confined process of a run."""
    kept = sealed_paths(checked.settings, workspace, checked.project.root)
    there = [name for name in SEALED_IF_THERE if _is_ordinary(workspace / name)]
    return Confinement(
        workspace=workspace,
        home=home,
        network=checked.settings.sandbox.network,
        readable=checked.reach.readable,
        writable=checked.reach.writable,
        protected=tuple(Path(name) for name in (*SEALED, *there, *kept)),
        limits=checked.reach.limits,
    )


def _is_ordinary(path: Path) -> bool:
    """A link cannot be sealed; what an agent commits in its place does not come home."""
    return not path.is_symlink() and (path.is_file() or path.is_dir())


async def prove(sandbox: Sandbox | None) -> ProbePassed:
    """Try the sandbox out; what it cannot do on this machine. One that leaks raises."""
    if sandbox is None:
        return ProbePassed()  # a person gave it up, and knows that nothing is kept apart then
    match await sandbox.probe():
        case ProbePassed() as proven:
            return proven
        case SandboxFailed(message=message, hint=hint):
            raise SandboxBroken(message, hint=hint or "run `treadle doctor`")


async def prove_before(checked: CheckedRequest) -> None:
    """Try the sandbox of a run out that others are to work on: whoever asks for it hears at once
    what it would end with."""
    if checked.unconfined:
        return
    on_host = without_project(checked.environment, checked.project.root)
    with TemporaryDirectory(prefix="treadle-probe-") as place:
        await prove(choose_sandbox(on_host, reports=Path(place), wanted=True))


def reach_model(agent: ClaudeAgent, endpoint: Endpoint) -> ClaudeAgent:
    """The agent with its way to the model: by a socket into its sandbox, else by loopback."""
    if agent.sandbox is None:
        return at_loopback(agent, endpoint)
    enclosure = agent.sandbox
    sockets = {**enclosure.sockets, MODEL: endpoint.socket}
    if keeps_its_login(agent):
        # Told of a socket, Claude Code does not look for its login file.
        entry = (*enclosure.entry, *bridge_to(this_interpreter().program, MODEL, MODEL_PORT))
        enclosure = replace(enclosure, sockets=sockets, entry=entry)
        return replace(at_bridge(agent, MODEL_PORT), sandbox=enclosure)
    return replace(at_socket(agent, MODEL), sandbox=replace(enclosure, sockets=sockets))


def _lent_files(checked: CheckedRequest) -> tuple[Path, ...]:
    """The user's own login file where the agent works with no other: it renews what is in there.

    By the user's environment, never by the link in the private home, which an agent can change.
    """
    environment = checked.environment
    if checked.request.rehearsal:
        return ()
    login = claude.login_of(agent_environment(environment.raw), environment.home)
    if login != "subscription":
        return ()
    file = claude.credentials_file(environment.home)
    return tuple(dict.fromkeys((file, file.resolve())))
