"""The state of a `focus` run behind the loop: plan, tasks one by one, review."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from treadle.domain.agent import SessionBrief, Tool
from treadle.domain.deliverable import Tally
from treadle.domain.events.focus import PhaseStarted
from treadle.domain.limits import SessionLimits
from treadle.domain.ports import Log
from treadle.domain.session import SessionResult, was_kept_from_working
from treadle.domain.signal import Role
from treadle.durable.port import Steps
from treadle.policy.redaction import Redactor
from treadle.workflows.focus.focus_history import FocusHistory
from treadle.workflows.focus.focus_steps import Elapsed, FocusSteps
from treadle.workflows.focus.next_action import decide_next
from treadle.workflows.focus.phases import (
    PhaseState,
    ReviewVerdict,
    SessionVerdict,
    after_review,
    after_session,
    has_review,
)
from treadle.workflows.focus.prompt import FocusFacts, ReviewScope, focus_prompt
from treadle.workflows.focus.review_steps import ReviewSteps
from treadle.workflows.focus.tools import plan_tool, review_tool
from treadle.workflows.loop.answers import after_plan_decision
from treadle.workflows.loop.findings import RoundCommits, VerificationFindings
from treadle.workflows.loop.next_action import DecisionRules, NextAction
from treadle.workflows.loop.plan_question import PlanDecision, PlanEdits
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.session_briefs import SessionBriefs
from treadle.workflows.loop.stuck import criteria_of
from treadle.workflows.loop.workflow_state import RoundImport, RoundRef, WorkSummary
from treadle.workflows.loop.workspace_spec import ImportedTip


@dataclass(slots=True)
class FocusWork:
    """The `WorkflowState` of `focus`. Each session may change its phase."""

    steps: Steps
    phase_state: PhaseState
    history: Callable[[], FocusHistory]
    focus_steps: FocusSteps
    review_steps: ReviewSteps
    briefs: SessionBriefs
    facts: FocusFacts
    log: Log
    redact: Redactor
    # What the next reviewer must review.
    scope: ReviewScope = field(default_factory=ReviewScope)
    # About a setup that failed; for the sessions after it.
    setup_notice: str = ""

    def decide(self, progress: RunProgress, rules: DecisionRules) -> NextAction:
        return decide_next(progress, self.phase_state, rules)

    def brief(self, instruction: str, limits: SessionLimits) -> SessionBrief:
        """A new session of the current phase, whose start is recorded first."""
        number, phase = self.phase_state.number, self.phase_state.phase
        self.log.record(PhaseStarted(number, phase), once=f"phase {number} {phase}")
        text = self.briefs.text_of(instruction)
        prompt = focus_prompt(instruction, text, self.facts, self.history(), self.scope)
        tools = self._tools(self.briefs.role_of(instruction))
        return self.briefs.write(instruction, limits, prompt + self.setup_notice, tools)

    def _tools(self, role: Role) -> tuple[Tool, ...]:
        match role:
            case "planner":
                return (plan_tool(self.history, self.log.record, self.redact),)
            case "reviewer":
                return (review_tool(self.history, self.log.record, self.redact),)
            case _:
                return ()

    def proposed_plan(self) -> str:
        return self.history().plan

    def record_plan_decision(self, decision: PlanDecision) -> None:
        """Nothing to do: a plan of this workflow carries no checks."""

    def after_plan_decision(self, progress: RunProgress, decision: PlanDecision) -> RunProgress:
        if isinstance(decision, PlanEdits):
            self.phase_state = replace(self.phase_state, phase="planning")
        return after_plan_decision(progress, decision)

    def begin_round(self) -> None:
        """Nothing to do: a session leaves no claims."""

    def summarize(self) -> WorkSummary:
        """An empty summary, because `focus` has no deliverables."""
        return WorkSummary(Tally(), criteria_of(()))

    def needs_verification(self) -> bool:
        return False

    async def import_session(self, ref: RoundRef, before: str) -> ImportedTip:
        return await self.focus_steps.import_work(ref, before)

    async def prepare(self, tip: str) -> float:
        """Set up and check before a leg that starts with tasks or a review; the seconds it took."""
        state = self.phase_state
        if state.phase == "planning" or state.stop is not None:
            return 0.0
        took_s = await self._set_up(0, force=False)
        return took_s + await self._run_check(0, tip)

    async def after_import(
        self, ref: RoundRef, progress: RunProgress, result: SessionResult, imported: RoundImport
    ) -> RunProgress:
        """Apply the session's signal, and prepare the next session."""
        number, tip = ref.index + 1, imported.home.tip
        act = partial(self.focus_steps.read_session, number, self.facts.focus, result)
        verdict = await self.steps.step(f"turn {number}", act, returns=SessionVerdict)
        before = self.phase_state
        changed = _files_changed(progress)
        if not was_kept_from_working(result.outcome):
            self.phase_state = after_session(before, verdict, files_changed=changed)
        took_s = 0.0
        if has_review(self.phase_state, verdict):
            took_s += await self._review(number, tip)
        state = self.phase_state
        has_new_phase = state.phase != before.phase
        if has_new_phase and before.phase == "planning":
            took_s += await self._set_up(number, force=True)
        if state.stop is None and state.phase != "planning" and (has_new_phase or changed):
            took_s += await self._run_check(number, tip)
        return with_phase(progress, state, took_s)

    async def verify(
        self, before: str, tip: str, accepted: tuple[str, ...]
    ) -> VerificationFindings:
        raise AssertionError("a focus run verifies its work in reviews")

    async def reverify(
        self, commits: RoundCommits, accepted: tuple[str, ...]
    ) -> VerificationFindings:
        raise AssertionError("a focus run verifies its work in reviews")

    async def _review(self, number: int, tip: str) -> float:
        state = self.phase_state
        act = partial(self.review_steps.review, number, state, tip)
        verdict = await self.steps.step(f"review {number}", act, returns=ReviewVerdict)
        self.phase_state = after_review(state, verdict)
        return verdict.took_s

    async def _set_up(self, number: int, *, force: bool) -> float:
        act = partial(self.focus_steps.set_up, force=force)
        elapsed = await self.steps.step(f"setup {number}", act, returns=Elapsed)
        self.setup_notice = elapsed.notice
        return elapsed.seconds

    async def _run_check(self, number: int, tip: str) -> float:
        act = partial(self.focus_steps.check, number, tip)
        elapsed = await self.steps.step(f"check {number}", act, returns=Elapsed)
        state = self.phase_state
        if state.phase == "reviewing":
            # No step, because the diff of two commits never changes.
            self.scope = await self.review_steps.scope(state.number, tip)
        return elapsed.seconds


def with_phase(progress: RunProgress, state: PhaseState, took_s: float) -> RunProgress:
    """The progress in rounds of this workflow: a round ends with its review."""
    *earlier, last = progress.history
    return replace(
        progress,
        rounds=state.complete,
        unfinished=state.unfinished,
        running_s=progress.running_s + took_s,
        history=(*earlier, replace(last, phases=state.measure)),
    )


def _files_changed(progress: RunProgress) -> bool:
    trees = [facts.tree for facts in progress.history[-2:]]
    return len(set(trees)) > 1
