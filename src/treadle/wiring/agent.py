"""Makes the agent of a run, of the kind that the settings name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treadle.domain.agent import OWN_SERVER
from treadle.domain.agent_kind import (
    A,
    AgentInputs,
    AgentKind,
    ProgramChoice,
    ProgramKeeping,
    ScriptedModel,
)
from treadle.domain.errors import AgentUnavailable, SettingsError
from treadle.settings.definitions import AgentSettings
from treadle.settings.environment import Environment, agent_environment

# In the directory of a run: the home of its agent.
PRIVATE_HOME = "home"
# Of a run, and of all runs together: where the agent's program is kept.
PROGRAM_FOLDER = "agent"
PROGRAM_STORE = "programs"


@dataclass(frozen=True, slots=True)
class Rehearsing:
    """The run's model is a script; see `treadle rehearse`."""

    model: ScriptedModel
    script: Path


def program_choice(
    kind: AgentKind[Any], setting: str, environment: Environment, project: Path
) -> ProgramChoice:
    """What names the agent's program; `environment` is without what the project put on the path."""
    return ProgramChoice(
        setting=setting,
        variable=environment.raw.get(kind.variables.program, ""),
        search_path=environment.path,
        project=project,
        home=environment.root,
    )


def agent_inputs(
    kind: AgentKind[Any],
    settings: AgentSettings,
    environment: Environment,
    project: Path,
    run_directory: Path,
    learn_secret: Callable[[str], None],
) -> AgentInputs:
    """What the agent is made from; `environment` as for `program_choice`."""
    return AgentInputs(
        program=program_choice(kind, settings.binary, environment, project),
        keeping=ProgramKeeping(run_directory / PROGRAM_FOLDER, program_store(environment.root)),
        environment=agent_environment(environment.raw, kind.variables.passed),
        user_home=environment.home,
        private_home=run_directory / PRIVATE_HOME,
        attribution=settings.attribution,
        host_environment={**environment.raw, "PATH": environment.path},
        learn_secret=learn_secret,
    )


def program_store(root: Path) -> Path:
    """Where copies of agents' programs are, for all runs."""
    return root / PROGRAM_STORE


def make_agent(
    kind: AgentKind[A], inputs: AgentInputs, rehearsing: Rehearsing | None
) -> tuple[A, list[str]]:
    """The agent, and what a person should know about it."""
    if rehearsing is None:
        return kind.make(inputs)
    if kind.rehearse is None:
        raise AgentUnavailable(
            f"{kind.title} cannot be rehearsed",
            hint="leave agent.kind out, or start the workflow itself",
        )
    return kind.rehearse(inputs, rehearsing.model), []


def require_free_names(servers: Mapping[str, Any] | None) -> None:
    """Refuse a user's MCP server that would stand in the place of Treadle's own."""
    if servers is not None and OWN_SERVER in servers:
        raise SettingsError(
            f"mcp_servers.{OWN_SERVER} is Treadle's own",
            hint=f"give the server in [mcp_servers.{OWN_SERVER}] another name",
        )
