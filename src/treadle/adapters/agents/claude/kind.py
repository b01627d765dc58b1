"""The record of Claude Code."""

from typing import TYPE_CHECKING

from treadle.adapters.agents.claude.faults import FAULTS
from treadle.adapters.agents.claude.login import LOGIN
from treadle.adapters.agents.claude.model_access import MODEL
from treadle.adapters.agents.claude.prices import PRICES
from treadle.adapters.agents.claude.variables import VARIABLES
from treadle.domain.agent_kind import (
    AgentInputs,
    AgentKind,
    ProgramChoice,
    ScriptedModel,
    SessionSandbox,
)

if TYPE_CHECKING:
    from treadle.adapters.agents.claude.agent import ClaudeAgent

# The syntax is limited to what Python and awk both support, without a slash. A surname after
# "Claude" means a person.
_CREDITED = (
    r"^[ \t]*[a-z]+(-[a-z]+)*-by[ \t]*:[ \t]*"
    r"(.*anthropic\.com|claude[ \t]*((code|ai|agent|opus|sonnet|haiku|[0-9(]).*)?(<|$))"
)
_ADVERTISED = r"^[ \t]*(🤖|generated (with|by) \[?claude|claude-session[ \t]*:)"


def _make(inputs: AgentInputs) -> "tuple[ClaudeAgent, list[str]]":
    from treadle.adapters.agents.claude.make import make_agent

    return make_agent(inputs)


def _describe(program: ProgramChoice) -> tuple[str, list[str]]:
    from treadle.adapters.agents.claude.make import describe_binary

    return describe_binary(program)


def _rehearse(inputs: AgentInputs, model: ScriptedModel) -> "ClaudeAgent":
    from treadle.adapters.agents.claude.make import rehearsal_agent

    return rehearsal_agent(inputs, model)


def _confine(agent: "ClaudeAgent", sessions: SessionSandbox) -> "ClaudeAgent":
    from treadle.adapters.agents.claude.make import confine

    return confine(agent, sessions)


KIND: AgentKind["ClaudeAgent"] = AgentKind(
    name="claude",
    title="Claude Code",
    make=_make,
    describe=_describe,
    variables=VARIABLES,
    prices=PRICES,
    faults=FAULTS,
    instructions_file="CLAUDE.md",
    project_settings=(
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".claude/hooks",
        ".claude/agents",
        ".claude/commands",
        ".claude/skills",
        ".claude/plugins",
        ".mcp.json",
    ),
    # Where it keeps long answers of tools.
    readable_folders=(".claude/projects",),
    credit_patterns=(_CREDITED, _ADVERTISED),
    login=LOGIN,
    rehearse=_rehearse,
    confine=_confine,
    takes_terminal=True,
    model=MODEL,
)
