"""The state of a `plan` run behind the loop: one session in the person's terminal."""

from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

from treadle.domain.agent import SessionBrief, Tool
from treadle.domain.events.session import SessionStarted
from treadle.domain.ids import SessionId
from treadle.domain.limits import SessionLimits
from treadle.workflows.loop.next_action import DecisionRules, NextAction
from treadle.workflows.loop.round_steps import nothing_to_prepare
from treadle.workflows.loop.run_loop import RunLoop
from treadle.workflows.loop.run_parts import RunParts
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.work_without_claims import WorkWithoutClaims, begin_leg
from treadle.workflows.loop.workflow_state import RoundRef
from treadle.workflows.loop.workspace_spec import ImportedTip
from treadle.workflows.plan.next_action import decide_next
from treadle.workflows.plan.specifications import SpecificationFile, writable_folder
from treadle.workflows.plan.tools import ManagerTools

COMMIT_MESSAGE = "Write specifications in a planning session"
# What the agent needs besides the tools that read.
WRITES = ("AskUserQuestion", "Edit", "Write")


async def build_plan(parts: RunParts) -> RunLoop:
    folders = writable_folder(parts.workspace.path, parts.facts.specs)
    tip, progress = await begin_leg(parts)
    loop = parts.loop(
        PlanWork(parts, folders),
        progress=progress,
        tip=tip,
        landing=parts.landing,
        prepare=nothing_to_prepare,
        limits={"manage": _session_limits(parts)},
    )
    # Nobody runs the project's commands here.
    loop.is_tried = True
    return loop


def _session_limits(parts: RunParts) -> SessionLimits:
    """The run's money and time; a person who thinks does not keep the agent from working."""
    run = parts.inputs.limits()
    return replace(
        parts.sessions.limits,
        max_cost_usd=run.max_cost_usd,
        wall_s=run.max_minutes * 60,
        first_byte_s=inf,
        idle_s=inf,
        tool_s=inf,
    )


@dataclass(frozen=True, slots=True)
class PlanWork(WorkWithoutClaims):
    """The `WorkflowState` of `plan`."""

    parts: RunParts
    # All that the agent can write in its workspace.
    folders: tuple[Path, ...]

    def decide(self, progress: RunProgress, rules: DecisionRules) -> NextAction:
        return decide_next(progress, rules)

    def brief(self, instruction: str, limits: SessionLimits) -> SessionBrief:
        parts, briefs = self.parts, self.parts.sessions.briefs
        words = parts.request.inputs.get("words", "")
        brief = briefs.write(instruction, limits, words, self._tools())
        return replace(
            brief,
            context=self._context(briefs.text_of(instruction), briefs.setup.instructions),
            builtin_tools=tuple(sorted({*brief.builtin_tools, *WRITES})),
            # Nobody here could look at what their tools do.
            mcp_servers={},
            terminal=parts.sessions.terminal,
            writable=self.folders,
            continues=self._earlier_session(brief.home),
        )

    def _context(self, text: str, instructions: str) -> str:
        facts, file = self.parts.facts, self._file()
        where = [f"- You can write in `{folder.name}/`." for folder in self.folders]
        if file is not None:
            where.append(f"- `mcp__treadle__edit_specification` changes `{facts.spec}`.")
        return "\n".join([text.rstrip(), "", "## This project", "", *where, "", instructions])

    def _tools(self) -> tuple[Tool, ...]:
        parts, file = self.parts, self._file()
        own = ManagerTools(
            parts.notes.read_notes,
            parts.leg_log.record,
            parts.redact,
            lambda: sum(1 for _ in parts.read_log(("note.submitted",))),
        ).tools()
        return own if file is None else (*own, file.tool())

    def _file(self) -> SpecificationFile | None:
        """The file of `deliver`, unless it is in the folder."""
        workspace, name = self.parts.workspace.path, self.parts.facts.spec
        path = workspace / name
        inside = any(path.is_relative_to(folder) for folder in self.folders)
        return None if inside else SpecificationFile(workspace, name)

    def _earlier_session(self, home: Path) -> SessionId | None:
        """The conversation that an earlier leg of this run has left."""
        started = [
            recorded.event.session
            for recorded in self.parts.read_log(("session.started",))
            if isinstance(recorded.event, SessionStarted)
        ]
        can_resume = self.parts.driver.agent.can_resume
        return next((each for each in reversed(started) if can_resume(each, home)), None)

    async def import_session(self, ref: RoundRef, before: str) -> ImportedTip:
        return await self.parts.workspace.commit_and_import(COMMIT_MESSAGE)
