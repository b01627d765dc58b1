"""What a session of a `deliver` run is started with: prompt, tools, permissions, ceilings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treadle.domain.agent import CommitIdentity, SessionBrief, Tool
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import Instruction, RunWarned
from treadle.domain.ids import SessionId
from treadle.domain.limits import SessionLimits
from treadle.policy.available_tools import Toolset, limit_to_role
from treadle.workflows.deliver.board import DeliverableBoard
from treadle.workflows.loop.instructions import (
    ROLE_OF,
    PromptFacts,
    UnusableContext,
    instruction_text,
    project_context,
    prompt_for,
)
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.tool_guard import ToolGuard


@dataclass(frozen=True, slots=True)
class SessionSetup:
    """What every session of the run is given, whatever its role."""

    model: str
    plan_model: str
    thinking_tokens: int | None
    toolset: Toolset
    mcp_servers: Mapping[str, Mapping[str, Any]] = field(repr=False)
    identity: CommitIdentity
    home: Path
    facts: PromptFacts


@dataclass(frozen=True, slots=True)
class DeliverBriefing:
    """Writes the briefs of one run."""

    setup: SessionSetup
    board: DeliverableBoard
    workspace: RunWorkspace
    record: Callable[[Event], None]
    new_session_id: Callable[[], SessionId]
    guard: ToolGuard
    # Besides those of the board.
    tools: tuple[Tool, ...] = ()

    def brief(self, instruction: Instruction, limits: SessionLimits) -> SessionBrief:
        """A fresh session; its instruction, and all that its role may use."""
        project, workspace = self.workspace.project_root, self.workspace.path
        role, equipment = ROLE_OF[instruction], self.setup
        text = instruction_text(project, instruction)
        return SessionBrief(
            session=self.new_session_id(),
            role=role,
            prompt=prompt_for(text, equipment.facts, self.board.deliverables),
            context=self._context(workspace),
            workspace=workspace,
            home=equipment.home,
            # Splitting a specification is planning; the rest is coding.
            model=equipment.plan_model if role == "initializer" else equipment.model,
            max_turns=limits.max_turns,
            max_cost_usd=limits.max_cost_usd,
            decide=self.guard.decide_for(role, str(workspace), equipment.toolset),
            identity=equipment.identity,
            tools=(*self.board.tools(), *self.tools),
            builtin_tools=limit_to_role(equipment.toolset, role).builtin,
            mcp_servers=equipment.mcp_servers,
            thinking_tokens=equipment.thinking_tokens,
        )

    def _context(self, workspace: Path) -> str:
        found = project_context(workspace)
        if isinstance(found, UnusableContext):
            self.record(RunWarned(f"CLAUDE.md is left out: {found.reason}"))
            return ""
        return found
