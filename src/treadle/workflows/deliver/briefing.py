"""What a session of a `deliver` run is started with: prompt, tools, permissions, ceilings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treadle.domain.agent import Brief, Identity, Tool
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import Instruction, RunWarned
from treadle.domain.ids import SessionId
from treadle.domain.limits import SessionLimits
from treadle.policy.available_tools import Toolset, for_role
from treadle.workflows.deliver.board import Board
from treadle.workflows.deliver.instructions import (
    ROLE_OF,
    Facts,
    Unusable,
    instruction_text,
    project_context,
    prompt_for,
)
from treadle.workflows.guard import Guard
from treadle.workflows.worksite import Worksite


@dataclass(frozen=True, slots=True)
class Equipment:
    """What every session of the run is given, whatever its role."""

    model: str
    plan_model: str
    thinking_tokens: int | None
    toolset: Toolset
    mcp_servers: Mapping[str, Mapping[str, Any]] = field(repr=False)
    identity: Identity
    home: Path
    facts: Facts


@dataclass(frozen=True, slots=True)
class Briefing:
    """Writes the briefs of one run."""

    equipment: Equipment
    board: Board
    worksite: Worksite
    record: Callable[[Event], None]
    new_session_id: Callable[[], SessionId]
    guard: Guard
    # Besides those of the board.
    tools: tuple[Tool, ...] = ()

    def brief(self, instruction: Instruction, limits: SessionLimits) -> Brief:
        """A fresh session; its instruction, and all that its role may use."""
        project, workspace = self.worksite.project_root, self.worksite.path
        role, equipment = ROLE_OF[instruction], self.equipment
        text = instruction_text(project, instruction)
        return Brief(
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
            builtin_tools=for_role(equipment.toolset, role).builtin,
            mcp_servers=equipment.mcp_servers,
            thinking_tokens=equipment.thinking_tokens,
        )

    def _context(self, workspace: Path) -> str:
        found = project_context(workspace)
        if isinstance(found, Unusable):
            self.record(RunWarned(f"CLAUDE.md is left out: {found.reason}"))
            return ""
        return found
