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

# Tools that are allowed together: the names of one tool in different versions of the agent, and
# those for background jobs of a shell.
_ALIASES = (
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
        """The tools in the agent's list; tools of servers come with their servers."""
        wanted = self.names | {rule.tool for rule in self.rules}
        return tuple(sorted(name for name in wanted if not name.startswith("mcp__")))

    def has(self, tool: str) -> bool:
        """Whether the set contains a tool under any of its names."""
        return any(name in self.names for name in names_of(tool))


def limit_to_role(toolset: Toolset, role: Role) -> Toolset:
    """The part of a toolset that a role may use."""
    rules = ROLES[role]
    names, servers = toolset.names, toolset.servers
    remaining = toolset.rules
    if rules.tools is not None:
        kept = frozenset(name for tool in rules.tools for name in names_of(tool))
        names = frozenset(n for n in names if n in kept or n.startswith("mcp__"))
        remaining = tuple(rule for rule in remaining if rule.tool in kept)
    if rules.servers is not None:
        servers &= rules.servers
        names = frozenset(n for n in names if not n.startswith("mcp__"))
    return Toolset(names, remaining, servers)


def merge_tools(
    allowed_tools: Sequence[str], rules: Sequence[PermissionRule], servers: Mapping[str, Any]
) -> Toolset:
    """The baseline with the user's additions."""
    return Toolset(
        names=frozenset({*BASELINE_TOOLS, *allowed_tools}),
        rules=tuple(rules),
        servers=frozenset({OWN_SERVER, *servers}),
    )


def merge_servers(
    baseline: Mapping[str, Mapping[str, Any]], user: Mapping[str, Mapping[str, Any]] | None
) -> dict[str, Mapping[str, Any]]:
    """The MCP servers of a session.

    Without a user table it is the baseline, with an empty one there are none. Otherwise the user's
    entries are added to the baseline and replace those of the same name.
    """
    if user is None:
        return dict(baseline)
    if not user:
        return {}
    return {**baseline, **user}


def names_of(tool: str) -> frozenset[str]:
    """The names of tools that are allowed together with this one."""
    for names in _ALIASES:
        if tool in names:
            return names
    return frozenset({tool})
