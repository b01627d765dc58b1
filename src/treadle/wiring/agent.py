"""Which agent a run is driven with. What is true of one agent alone is in `agents/<name>.py`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from treadle.domain.agent import OWN_SERVER, LeftoverProcess
from treadle.domain.errors import SettingsError
from treadle.domain.ids import SessionId
from treadle.domain.ports import Agent
from treadle.settings.definitions import AgentSettings as AgentSettings
from treadle.settings.environment import Environment
from treadle.wiring.agents import claude


@dataclass(frozen=True, slots=True)
class Rehearsing:
    """The run's model is a script behind this address; see `treadle rehearse`."""

    base_url: str
    credential: Mapping[str, str] = field(repr=False)
    script: Path


class KillableAgent(Agent, Protocol):
    """An agent that can be ended on the spot, for a person who will not wait."""

    def kill(self) -> None: ...

    async def gone(self) -> None:
        """Wait until nothing is left of the sessions that were closed."""
        ...


def dummy_credential(auth: Literal["api_key", "subscription"]) -> dict[str, str]:
    """A credential that opens nothing, of the kind a script wants the agent to have."""
    return {claude.CREDENTIAL_OF[auth]: "rehearsal"}


def make_agent(
    settings: AgentSettings, environment: Environment, rehearsing: Rehearsing | None, home: Path
) -> tuple[KillableAgent, list[str]]:
    """The agent, and what a person should know about it."""
    if rehearsing is None:
        return claude.users_agent(settings, environment, home)
    agent = claude.rehearsal_agent(
        settings,
        environment,
        base_url=rehearsing.base_url,
        credential=rehearsing.credential,
    )
    return agent, []


async def end_lost_processes(sessions: Iterable[str]) -> list[LeftoverProcess]:
    """End what is left of sessions whose run was killed, and say what it was."""
    return await claude.end_lost(sessions)


def processor_time(session: SessionId) -> float | None:
    """All processor seconds that a session's processes have used; None where nobody knows."""
    return claude.processor_s(session)


def require_free_names(servers: Mapping[str, Any] | None) -> None:
    """Refuse a user's MCP server that would stand in the place of Treadle's own."""
    if servers is not None and OWN_SERVER in servers:
        raise SettingsError(
            f"mcp_servers.{OWN_SERVER} is Treadle's own",
            hint=f"give the server in [mcp_servers.{OWN_SERVER}] another name",
        )
