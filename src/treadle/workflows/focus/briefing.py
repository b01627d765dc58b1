"""What a session of a `focus` run is started with: prompt, tools, permissions, ceilings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from treadle.domain.agent import Brief, Tool
from treadle.domain.events.all_events import Event
from treadle.domain.events.focus import PhaseStarted
from treadle.domain.events.run import Instruction, RunWarned
from treadle.domain.ids import SessionId
from treadle.domain.limits import SessionLimits
from treadle.domain.signal import Role
from treadle.policy.available_tools import for_role
from treadle.workflows.deliver.briefing import Equipment
from treadle.workflows.deliver.instructions import Unusable, instruction_text, project_context
from treadle.workflows.focus.prompts import Facts, Scope, prompt_for
from treadle.workflows.focus.recollection import Course
from treadle.workflows.focus.stage import Stage
from treadle.workflows.focus.tools import plan_tool, review_tool
from treadle.workflows.guard import Guard
from treadle.workflows.worksite import Worksite

ROLE_OF: dict[Instruction, Role] = {
    "planning": "planner",
    "task": "implementer",
    "review": "reviewer",
}


@dataclass(slots=True)
class Situation:
    """Where the run is, for whoever writes a brief: the story moves it on."""

    stage: Stage
    # What a reviewer is to look at.
    scope: Scope = field(default_factory=Scope)


@dataclass(frozen=True, slots=True)
class FocusBriefing:
    """Writes the briefs of one run."""

    equipment: Equipment
    facts: Facts
    worksite: Worksite
    situation: Situation
    course: Callable[[], Course]
    record: Callable[[Event], None]
    record_once: Callable[[str, Event], None]
    new_session_id: Callable[[], SessionId]
    guard: Guard
    clean: Callable[[Mapping[str, Any]], Mapping[str, Any]]

    def brief(self, instruction: Instruction, limits: SessionLimits) -> Brief:
        """A fresh session of the phase that is due, whose start is told first."""
        stage = self.situation.stage
        self.record_once(
            f"phase {stage.number} {stage.phase}", PhaseStarted(stage.number, stage.phase)
        )
        role, equipment, workspace = ROLE_OF[instruction], self.equipment, self.worksite.path
        text = instruction_text(self.worksite.project_root, instruction)
        return Brief(
            session=self.new_session_id(),
            role=role,
            prompt=prompt_for(instruction, text, self.facts, self.course(), self.situation.scope),
            context=self._context(),
            workspace=workspace,
            home=equipment.home,
            model=equipment.plan_model if role == "planner" else equipment.model,
            max_turns=limits.max_turns,
            max_cost_usd=limits.max_cost_usd,
            decide=self.guard.decide_for(role, str(workspace), equipment.toolset),
            identity=equipment.identity,
            tools=self._tools(role),
            builtin_tools=for_role(equipment.toolset, role).builtin,
            mcp_servers=equipment.mcp_servers,
            thinking_tokens=equipment.thinking_tokens,
        )

    def _tools(self, role: Role) -> tuple[Tool, ...]:
        match role:
            case "planner":
                return (plan_tool(self.course, self.record, self.clean),)
            case "reviewer":
                return (review_tool(self.course, self.record, self.clean),)
            case _:
                return ()

    def _context(self) -> str:
        found = project_context(self.worksite.path)
        if isinstance(found, Unusable):
            self.record(RunWarned(f"CLAUDE.md is left out: {found.reason}"))
            return ""
        return found
