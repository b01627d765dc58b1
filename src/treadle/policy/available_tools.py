"""Which tools a session has: the baseline, widened by the project's own settings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treadle.domain.agent import OWN_SERVER
from treadle.policy.permission_rules import Rule

BASELINE_TOOLS = ("Bash", "Edit", "Glob", "Grep", "NotebookEdit", "Read", "TodoWrite", "Write")


@dataclass(frozen=True, slots=True)
class Toolset:
    """Tools by name, rules for those allowed in part, and the servers whose tools are allowed."""

    names: frozenset[str]
    rules: tuple[Rule, ...] = ()
    servers: frozenset[str] = frozenset({OWN_SERVER})

    @property
    def builtin(self) -> tuple[str, ...]:
        """What the agent is told it has; tools of servers come with their servers."""
        wanted = self.names | {rule.tool for rule in self.rules}
        return tuple(sorted(name for name in wanted if not name.startswith("mcp__")))


def merge_tools(
    allowed_tools: Sequence[str], rules: Sequence[Rule], servers: Mapping[str, Any]
) -> Toolset:
    """The baseline and what the user added to it."""
    return Toolset(
        names=frozenset({*BASELINE_TOOLS, *allowed_tools}),
        rules=tuple(rules),
        servers=frozenset({OWN_SERVER, *servers}),
    )


def merge_servers(
    baseline: Mapping[str, Mapping[str, Any]], user: Mapping[str, Mapping[str, Any]] | None
) -> dict[str, Mapping[str, Any]]:
    """MCP servers by the user's priority.

    Not mentioned: the baseline. An empty table: none at all. Otherwise the baseline, with the
    user's entries added and put in place of those of the same name.
    """
    if user is None:
        return dict(baseline)
    if not user:
        return {}
    return {**baseline, **user}
