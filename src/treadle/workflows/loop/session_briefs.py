"""Writes the brief of a session: its prompt, tools, model and permissions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treadle.domain.agent import CommitIdentity, SessionBrief, Tool
from treadle.domain.ids import SessionId
from treadle.domain.limits import SessionLimits
from treadle.domain.signal import Role
from treadle.policy.available_tools import Toolset, limit_to_role
from treadle.policy.roles import ROLES
from treadle.policy.tool_limit import ToolLimit, limit_servers, limit_text, limit_toolset
from treadle.workflows.definition import Workflow
from treadle.workflows.loop.instructions import instruction_text
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.session_conditions import SessionConditions, conditions_text
from treadle.workflows.loop.tool_guard import ToolGuard

# These roles use `agent.plan_model`.
PLANNING_ROLES: frozenset[Role] = frozenset({"initializer", "planner"})


@dataclass(frozen=True, slots=True)
class SessionSetup:
    """What every session of the run gets, whatever its role."""

    model: str
    plan_model: str
    thinking_tokens: int | None
    toolset: Toolset
    mcp_servers: Mapping[str, Mapping[str, Any]] = field(repr=False)
    # The project's own instructions to agents, as the user wrote them; empty if there are none.
    instructions: str = field(repr=False)
    identity: CommitIdentity
    home: Path
    conditions: SessionConditions
    # The user's list of tools for sessions that carry out a plan; None: all of the toolset.
    limit: ToolLimit | None = None


@dataclass(frozen=True, slots=True)
class SessionBriefs:
    """Writes the briefs of one run."""

    workflow: Workflow
    setup: SessionSetup
    workspace: RunWorkspace
    guard: ToolGuard
    new_session_id: Callable[[], SessionId]

    def role_of(self, instruction: str) -> Role:
        return self.workflow.roles[instruction]

    def text_of(self, instruction: str) -> str:
        """The text of an instruction: the project's, else the workflow's."""
        folder = self.workflow.prompts_of or self.workflow.name
        return instruction_text(self.workspace.project_root, folder, instruction)

    def write(
        self, instruction: str, limits: SessionLimits, prompt: str, tools: tuple[Tool, ...]
    ) -> SessionBrief:
        """A new session with this prompt, and everything that its role may use."""
        role, setup, workspace = self.role_of(instruction), self.setup, self.workspace.path
        limit = setup.limit if instruction in self.workflow.execution else None
        toolset, servers = setup.toolset, setup.mcp_servers
        if limit is not None:
            toolset, servers = limit_toolset(toolset, limit), limit_servers(servers, limit)
        return SessionBrief(
            session=self.new_session_id(),
            role=role,
            prompt=prompt,
            context=self._context(role, limit),
            workspace=workspace,
            home=setup.home,
            model=setup.plan_model if role in PLANNING_ROLES else setup.model,
            max_turns=limits.max_turns,
            max_cost_usd=limits.max_cost_usd,
            decide=self.guard.decide_for(role, str(workspace), toolset, limit),
            identity=setup.identity,
            tools=tools,
            builtin_tools=limit_to_role(toolset, role).builtin,
            mcp_servers=servers,
            thinking_tokens=setup.thinking_tokens,
        )

    def _context(self, role: Role, limit: ToolLimit | None) -> str:
        """What the session can reach, then the project's own instructions."""
        conditions = conditions_text(self.setup.conditions, ROLES[role].commands)
        if limit is not None:
            conditions += f"- {limit_text(limit)}\n"
        own = self.setup.instructions
        return f"{conditions}\n{own}" if own else conditions
