"""The permissions of each role, as one table: writing files, commands, tools, servers."""

from dataclasses import dataclass
from typing import Literal

from treadle.domain.agent import OWN_SERVER
from treadle.domain.signal import Role

# run: build, test and change the project; read: look at it and change nothing.
ShellSet = Literal["run", "read"]

# Looks at a page as a person would; a role that judges needs it as much as one that builds.
BROWSER = "playwright"

# All that a role which changes nothing is ever given, whatever the settings add for the others.
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
    """None stands for everything that the settings give."""

    writes: bool
    commands: ShellSet
    tools: frozenset[str] | None = None
    servers: frozenset[str] | None = None


_BUILDS = RoleRules(writes=True, commands="run")
_REVIEWS = RoleRules(
    writes=False, commands="read", tools=READ_ONLY_TOOLS, servers=frozenset({OWN_SERVER, BROWSER})
)
# Works on words alone: what it writes it hands over by our own tools.
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
