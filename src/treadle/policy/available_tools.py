"""The tools of a session: the baseline, the project's additions, the limits of its role."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treadle.domain.agent import OWN_SERVER
from treadle.domain.signal import Role
from treadle.policy.permission_rules import PermissionRule
from treadle.policy.roles import ROLES

BASELINE_TOOLS = (
    "Bash",
    "Edit",
    "Glob",
    "Grep",
    "NotebookEdit",
    "Read",
    "TaskStop",
    "TodoWrite",
    "Write",
)

# Names for the same thing, by version of the agent, and what belongs to a shell with jobs in the
# background: who may have the one may have the others.
_ALIKE = (
    frozenset({"Agent", "Task"}),
    frozenset({"Bash", "BashOutput", "KillShell", "TaskOutput", "TaskStop"}),
)


@dataclass(frozen=True, slots=True)
class Toolset:
    """Tools by name, rules for those allowed in part, and the servers whose tools are allowed."""

    names: frozenset[str]
    rules: tuple[PermissionRule, ...] = ()
    servers: frozenset[str] = frozenset({OWN_SERVER})

    @property
    def builtin(self) -> tuple[str, ...]:
        """What the agent is told it has; tools of servers come with their servers."""
        wanted = self.names | {rule.tool for rule in self.rules}
        return tuple(sorted(name for name in wanted if not name.startswith("mcp__")))

    def has(self, tool: str) -> bool:
        """Whether a tool is here under any of its names."""
        return any(name in self.names for name in _names_of(tool))


def limit_to_role(toolset: Toolset, role: Role) -> Toolset:
    """What is left of a toolset for a role."""
    rules = ROLES[role]
    names, servers = toolset.names, toolset.servers
    left = toolset.rules
    if rules.tools is not None:
        kept = frozenset(name for tool in rules.tools for name in _names_of(tool))
        names = frozenset(n for n in names if n in kept or n.startswith("mcp__"))
        left = tuple(rule for rule in left if rule.tool in kept)
    if rules.servers is not None:
        servers &= rules.servers
        names = frozenset(n for n in names if not n.startswith("mcp__"))
    return Toolset(names, left, servers)


def merge_tools(
    allowed_tools: Sequence[str], rules: Sequence[PermissionRule], servers: Mapping[str, Any]
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


def _names_of(tool: str) -> frozenset[str]:
    for alike in _ALIKE:
        if tool in alike:
            return alike
    return frozenset({tool})
