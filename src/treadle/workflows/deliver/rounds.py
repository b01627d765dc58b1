"""One round: a fresh session with the right instruction, then the work brought to safety."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treadle.domain.agent import Brief, Decide, Decision, Identity, ToolUse
from treadle.domain.events.run import Instruction, RunWarned
from treadle.domain.ids import SessionId
from treadle.domain.limits import RunLimits, SessionLimits
from treadle.domain.session import SessionResult
from treadle.domain.signal import Role
from treadle.policy.available_tools import Toolset
from treadle.policy.decide import Context, RealPath, decide
from treadle.session.drive import Driver
from treadle.workflows.deliver.board import Board
from treadle.workflows.deliver.instructions import (
    ROLE_OF,
    Facts,
    Unusable,
    instruction_text,
    project_context,
    prompt_for,
)
from treadle.workflows.deliver.next_step import Progress
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
class Rounds:
    """Runs rounds of one run."""

    driver: Driver
    board: Board
    worksite: Worksite
    equipment: Equipment
    run_limits: RunLimits
    session_limits: SessionLimits
    new_session_id: Callable[[], SessionId]
    real_path: RealPath

    async def run(self, instruction: Instruction, progress: Progress) -> SessionResult:
        """One fresh session; its work is still in the clone when this returns."""
        limits = within(self.session_limits, self.run_limits, progress)
        self.board.passed_this_round.clear()
        return await self.driver.run(self._brief(instruction, limits), limits)

    async def bring_home(self, number: int) -> None:
        """Commit and import what the session left; only then are its passes safe."""
        home = await self.worksite.bring_home(self._message(number))
        if home.lost:
            self.board.take_back(home.lost)
        else:
            self.board.settle(home.tip)

    def _brief(self, instruction: Instruction, limits: SessionLimits) -> Brief:
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
            decide=self._decide_for(role),
            identity=equipment.identity,
            tools=self.board.tools(),
            builtin_tools=equipment.toolset.builtin,
            mcp_servers=equipment.mcp_servers,
            thinking_tokens=equipment.thinking_tokens,
        )

    def _context(self, workspace: Path) -> str:
        found = project_context(workspace)
        if isinstance(found, Unusable):
            self.driver.record(RunWarned(f"CLAUDE.md is left out: {found.reason}"))
            return ""
        return found

    def _decide_for(self, role: Role) -> Decide:
        context = Context(role, str(self.worksite.path), self.equipment.toolset)

        async def decided(use: ToolUse) -> Decision:
            return decide(use, context, real_path=self.real_path)

        return decided

    def _message(self, number: int) -> str:
        """From our own words only: an agent's summary may hold what must not be published."""
        passed = self.board.passed_this_round
        if not passed:
            return f"Round {number}: work in progress"
        names = ", ".join(f"{one_line(d.description)} ({one_line(d.id)})" for d in passed)
        return f"Round {number}: {names[:200]}"


def one_line(text: str) -> str:
    """What an agent wrote, fit for a commit message: git takes no zero bytes, for one."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def within(session: SessionLimits, run: RunLimits, progress: Progress) -> SessionLimits:
    """The session's limits, cut down to what is left of the run's."""
    return SessionLimits(
        max_cost_usd=min(session.max_cost_usd, run.max_cost_usd - progress.cost_usd),
        max_turns=session.max_turns,
        wall_s=min(session.wall_s, run.max_minutes * 60 - progress.running_s),
        first_byte_s=session.first_byte_s,
        idle_s=session.idle_s,
        tool_s=session.tool_s,
    )
