"""What a session of a `focus` run is started with: prompt, tools, permissions, ceilings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from treadle.domain.agent import SessionBrief, Tool
from treadle.domain.events.all_events import Event
from treadle.domain.events.focus import PhaseStarted
from treadle.domain.events.run import Instruction, RunWarned
from treadle.domain.ids import SessionId
from treadle.domain.limits import SessionLimits
from treadle.domain.signal import Role
from treadle.policy.available_tools import limit_to_role
from treadle.workflows.deliver.briefing import SessionSetup
from treadle.workflows.focus.focus_history import FocusHistory
from treadle.workflows.focus.phases import PhaseState
from treadle.workflows.focus.prompts import FocusFacts, ReviewScope, prompt_for
from treadle.workflows.focus.tools import plan_tool, review_tool
from treadle.workflows.loop.instructions import UnusableContext, instruction_text, project_context
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.tool_guard import ToolGuard

ROLE_OF: dict[Instruction, Role] = {
    "planning": "planner",
    "task": "implementer",
    "review": "reviewer",
}


@dataclass(slots=True)
class FocusPosition:
    """Where the run is, for whoever writes a brief: the story moves it on."""

    phase_state: PhaseState
    # What a reviewer is to look at.
    scope: ReviewScope = field(default_factory=ReviewScope)


@dataclass(frozen=True, slots=True)
class FocusBriefing:
    """Writes the briefs of one run."""

    setup: SessionSetup
    facts: FocusFacts
    workspace: RunWorkspace
    position: FocusPosition
    history: Callable[[], FocusHistory]
    record: Callable[[Event], None]
    record_once: Callable[[str, Event], None]
    new_session_id: Callable[[], SessionId]
    guard: ToolGuard
    clean: Callable[[Mapping[str, Any]], Mapping[str, Any]]

    def brief(self, instruction: Instruction, limits: SessionLimits) -> SessionBrief:
        """A fresh session of the phase that is due, whose start is told first."""
        stage = self.position.phase_state
        self.record_once(
            f"phase {stage.number} {stage.phase}", PhaseStarted(stage.number, stage.phase)
        )
        role, equipment, workspace = ROLE_OF[instruction], self.setup, self.workspace.path
        text = instruction_text(self.workspace.project_root, instruction)
        return SessionBrief(
            session=self.new_session_id(),
            role=role,
            prompt=prompt_for(instruction, text, self.facts, self.history(), self.position.scope),
            context=self._context(),
            workspace=workspace,
            home=equipment.home,
            model=equipment.plan_model if role == "planner" else equipment.model,
            max_turns=limits.max_turns,
            max_cost_usd=limits.max_cost_usd,
            decide=self.guard.decide_for(role, str(workspace), equipment.toolset),
            identity=equipment.identity,
            tools=self._tools(role),
            builtin_tools=limit_to_role(equipment.toolset, role).builtin,
            mcp_servers=equipment.mcp_servers,
            thinking_tokens=equipment.thinking_tokens,
        )

    def _tools(self, role: Role) -> tuple[Tool, ...]:
        match role:
            case "planner":
                return (plan_tool(self.history, self.record, self.clean),)
            case "reviewer":
                return (review_tool(self.history, self.record, self.clean),)
            case _:
                return ()

    def _context(self) -> str:
        found = project_context(self.workspace.path)
        if isinstance(found, UnusableContext):
            self.record(RunWarned(f"CLAUDE.md is left out: {found.reason}"))
            return ""
        return found
