"""The kinds of agents by name. Each record is imported when it is asked for."""

from functools import cache
from importlib import import_module
from typing import Any

from treadle.domain.agent_kind import AgentKind
from treadle.domain.errors import AgentUnavailable

KINDS = {
    "claude": "treadle.adapters.agents.claude.kind",
    "replay": "treadle.adapters.agents.replay.kind",
}


@cache
def find_kind(name: str) -> AgentKind[Any]:
    """The record of the kind with this name."""
    if name not in KINDS:
        raise AgentUnavailable(
            f"there is no kind of agent called {name!r}", hint=f"known: {', '.join(KINDS)}"
        )
    kind: AgentKind[Any] = import_module(KINDS[name]).KIND
    return kind


def all_kinds() -> tuple[AgentKind[Any], ...]:
    """Every record, for what is done before any settings are read."""
    return tuple(map(find_kind, KINDS))
