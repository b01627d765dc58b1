"""The permissions of each role, as one table: writing files, commands, tools, servers."""

from dataclasses import dataclass
from typing import Literal

from treadle.domain.agent import OWN_SERVER
from treadle.domain.signal import Role

# run: build, test and change the project; read: change nothing.
ShellSet = Literal["run", "read"]

# The browser server, which reviewing roles need as much as building ones.
BROWSER = "playwright"

# The limit for read-only roles, whatever the settings add for others.
READ_ONLY_TOOLS = frozenset(
    {
        "Agent",
        "Bash",
        "Glob",
        "Grep",
        "Read",
        "Task",
        "TodoWrite",
        "WebFetch",
        "WebSearch",
    }
)


@dataclass(frozen=True, slots=True)
class RoleRules:
    """The permissions of a role; None means everything that the settings allow."""

    writes: bool
    commands: ShellSet
    tools: frozenset[str] | None = None
    servers: frozenset[str] | None = None


_BUILDS = RoleRules(writes=True, commands="run")
_REVIEWS = RoleRules(
    writes=False, commands="read", tools=READ_ONLY_TOOLS, servers=frozenset({OWN_SERVER, BROWSER})
)
# Planning roles write only through Treadle's own tools.
_PLANS = RoleRules(
    writes=False, commands="read", tools=READ_ONLY_TOOLS, servers=frozenset({OWN_SERVER})
)

ROLES: dict[Role, RoleRules] = {
    "implementer": _BUILDS,
    "initializer": _BUILDS,
    "planner": _PLANS,
    "manager": _PLANS,
    "reviewer": _REVIEWS,
    "verifier": _REVIEWS,
    "auditor": _REVIEWS,
}
