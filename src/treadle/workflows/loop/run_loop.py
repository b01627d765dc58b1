"""The loop that all workflows share: decide, act through a durable step, repeat until a stop.

A process that takes over runs it again from the start: finished steps return their stored result,
the interrupted one acts again. What the loop decides by comes out of steps; what it records, it
records once.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import assert_never

from treadle.domain.errors import SandboxBroken
from treadle.domain.events.run import RoundFailed
from treadle.domain.ids import SessionId
from treadle.domain.ports import Clock, Log
from treadle.domain.run import LandingChoice, RunResult
from treadle.domain.session import (
    QuotaExceeded,
    SandboxError,
    SessionResult,
    was_kept_from_working,
)
from treadle.durable.port import Steps
from treadle.session.session_admission import WaitUntil
from treadle.workflows.loop.answers import after_tests_decision
from treadle.workflows.loop.command_trial import try_commands
from treadle.workflows.loop.failing_tests_question import AcceptFailures
from treadle.workflows.loop.findings import RoundCommit
from treadle.workflows.loop.limit_checks import in_own_names, limit_warnings
from treadle.workflows.loop.next_action import (
    AskAboutPlan,
    AskAboutTests,
    DecisionRules,
    NextAction,
    OngoingAction,
    Reverify,
    RunSession,
    StopRun,
    WaitForQuota,
    WaitForService,
)
from treadle.workflows.loop.observation import Observation, Pacing
from treadle.workflows.loop.round_steps import RoundSteps, RoundVerification, SessionAttempt
from treadle.workflows.loop.run_pauses import RunPauses
from treadle.workflows.loop.run_progress import (
    RunProgress,
    after_outage,
    after_session,
    after_verification,
    conversation_after,
    cut_session,
    failure_message,
    result_of,
    round_delay,
)
from treadle.workflows.loop.run_questions import RunQuestions
from treadle.workflows.loop.run_timer import RunTimer
from treadle.workflows.loop.stuck import facts_of
from treadle.workflows.loop.workflow_state import RoundImport, RoundRef, WorkflowState


@dataclass(slots=True)
class RunLoop:
    """One leg of a run: its parts and its progress."""

    steps: Steps
    work: WorkflowState
    rounds: RoundSteps
    pacing: Pacing
    clock: Clock
    # Counts its keys per leg.
    log: Log
    pauses: RunPauses
    jitter: Callable[[], float]
    timer: RunTimer
    questions: RunQuestions
    landing: LandingChoice
    progress: RunProgress
    # The commit that the last round ended at.
    tip: str
    # The commit at the start of this leg, then the one after each round.
    round_commits: list[RoundCommit] = field(default_factory=list)
    reverifications: int = 0
    session_index: int = 0
    attempts: int = 0
    observations: int = 0
    is_tried: bool = False
    warned: set[str] = field(default_factory=set)
    last_sessions: dict[str, SessionId | None] = field(default_factory=dict)
    # Start of the current work, whose time is counted at its end.
    uncounted_since: float | None = None

    def current_progress(self) -> RunProgress:
        """The progress with the time of the current work."""
        since = self.uncounted_since
        elapsed_s = 0.0 if since is None else self.clock.monotonic() - since
        return replace(self.progress, running_s=self.progress.running_s + elapsed_s)

    async def run(self) -> RunResult:
        """Run rounds until the first reason to stop."""
        self.timer.source = lambda: self.current_progress().running_s
        observed = await self._observe()
        if observed.unshown:
            observed = await self._verify("verify 0", self.rounds.workspace.snapshot)
        while True:
            self._apply_observation(observed)
            action = await self._decide(observed)
            if isinstance(action, StopRun):
                return result_of(self.progress, in_own_names(action, self.rounds.inputs.own_names))
            observed = await self._act(action, observed)

    async def _act(self, action: OngoingAction, observed: Observation) -> Observation:
        match action:
            case WaitForQuota() | WaitForService() as wait:
                self.progress = await self.pauses.wait(wait, self.progress, observed.at)
                return await self._observe()
            case RunSession() as work:
                return await self._work(work, observed)
            case Reverify():
                return await self._reverify()
            case AskAboutTests():
                return await self._ask_about_tests()
            case AskAboutPlan():
                return await self._ask_about_plan()
            case unreachable:
                assert_never(unreachable)

    def _apply_observation(self, observed: Observation) -> None:
        self.progress = replace(
            self.progress,
            tally=observed.tally,
            stopping=observed.stopping,
            provable=observed.provable,
            only_words=observed.only_words,
            has_commits=observed.has_commits,
            others_today_usd=observed.others_today_usd,
            before_today_usd=observed.before_today_usd,
        )
        own = self.rounds.inputs.own_names
        for warning in limit_warnings(self.progress, observed.limits, self.warned, own):
            self.warned.add(warning.limit)
            self.log.record(warning, once=f"neared {warning.limit}")

    async def _observe(self) -> Observation:
        self.observations += 1
        return await self.steps.step(
            f"look {self.observations}", self.rounds.observe, returns=Observation
        )

    async def _decide(self, observed: Observation) -> NextAction:
        """The next action; the first that needs the project's commands waits for their trial."""
        rules = DecisionRules(observed.limits, observed.wait_for_quota, observed.fix_rounds)
        action = self.work.decide(self.progress, rules)
        if self.is_tried or not isinstance(action, RunSession | Reverify):
            return action
        self.is_tried = True
        tried = await try_commands(self.steps, self.rounds.trial)
        self.progress = replace(self.progress, running_s=self.progress.running_s + tried.took_s)
        return StopRun("setup_failed", tried.problem) if tried.problem else action

    async def _work(self, work: RunSession, observed: Observation) -> Observation:
        if self.progress.rounds or self.progress.last:
            delay_s = round_delay(self.progress, self.pacing, self.jitter)
            await self.pauses.sleep_for(delay_s, since=observed.at)
        ref = self._next_round(work)
        self.uncounted_since = self.clock.monotonic()
        try:
            attempt = await self._session(ref, observed)
            running_s = self.progress.running_s + attempt.prepared_s
            self.progress = replace(self.progress, running_s=running_s)
            if attempt.result is None:
                return await self._wait_for_admission(attempt.hold, observed)
            self.session_index += 1
            self.last_sessions[ref.instruction] = conversation_after(attempt.result)
            # Before anything else can fail, because the money is spent.
            self.progress = await self._count_session(ref, attempt.result)
            self.uncounted_since = self.clock.monotonic()
            if isinstance(attempt.result.outcome, SandboxError):
                # A process may still write to the clone, so git must not run there.
                self._record_outcome(ref, attempt.result, observed)
                return observed
            act = partial(self.rounds.import_round, ref, self.tip)
            imported = await self.steps.step(f"home {self.session_index}", act, returns=RoundImport)
            before = self.tip
            self._add_round(ref, attempt.result, imported)
            self.uncounted_since = self.clock.monotonic()
            self._record_outcome(ref, attempt.result, observed)
            self.progress = await self.work.after_import(
                ref, self.progress, attempt.result, imported
            )
            if imported.due:
                return await self._verify(f"verify {self.session_index}", before)
            return imported.look
        finally:
            self.uncounted_since = None

    def _next_round(self, work: RunSession) -> RoundRef:
        return RoundRef(
            self.session_index,
            self.progress.rounds + 1,
            work.instruction,
            self.progress.findings,
            cut_session(self.progress, work.instruction),
            self.last_sessions.get(work.instruction) if work.conversation == "continued" else None,
        )

    async def _count_session(self, ref: RoundRef, result: SessionResult) -> RunProgress:
        """The progress after a session; a run of an older version counted an outage as a round."""
        is_outage = was_kept_from_working(result.outcome) and not isinstance(
            result.outcome, QuotaExceeded
        )
        if is_outage and await self.steps.patched("wait for the service"):
            return after_outage(self.progress, result, ref.instruction)
        return after_session(self.progress, result)

    async def _verify(self, step: str, before: str) -> Observation:
        act = partial(self.rounds.verify, before, self.tip, self.progress.accepted)
        return self._apply_findings(await self.steps.step(step, act, returns=RoundVerification))

    async def _reverify(self) -> Observation:
        self.reverifications += 1
        act = partial(self.rounds.reverify, tuple(self.round_commits), self.progress.accepted)
        self.uncounted_since = self.clock.monotonic()
        try:
            verified = await self.steps.step(
                f"show {self.reverifications}", act, returns=RoundVerification
            )
        finally:
            self.uncounted_since = None
        return self._apply_findings(verified, whole=True)

    def _apply_findings(self, verified: RoundVerification, *, whole: bool = False) -> Observation:
        self.progress = after_verification(
            self.progress, verified.findings, took_s=verified.took_s, whole=whole
        )
        return verified.look

    async def _ask_about_tests(self) -> Observation:
        decision = await self.questions.ask_about_tests(self.progress)
        self.progress = after_tests_decision(self.progress, decision)
        if not isinstance(decision, AcceptFailures):
            return await self._observe()
        # The last claims may pass now.
        return await self._verify(f"accepted {self.questions.about_tests}", self.tip)

    async def _ask_about_plan(self) -> Observation:
        decision = await self.questions.ask_about_plan(self.work)
        self.progress = self.work.after_plan_decision(self.progress, decision)
        return await self._observe()

    async def _session(self, ref: RoundRef, observed: Observation) -> SessionAttempt:
        self.attempts += 1
        act = partial(self.rounds.session, ref, self.progress, observed)
        try:
            return await self.steps.step(f"session {self.attempts}", act, returns=SessionAttempt)
        except SandboxBroken:
            raise  # a process may still write to the clone
        except Exception:
            # Whatever failed, the work of the session must not be lost.
            await self.rounds.import_round(ref, self.tip)
            raise

    async def _wait_for_admission(
        self, hold: WaitUntil | None, observed: Observation
    ) -> Observation:
        """Handle an attempt without a session: the run must stop, or the service is unavailable."""
        if hold is None:
            return await self._observe()
        if hold.cause == "quota" and not observed.wait_for_quota:
            self.progress = replace(self.progress, last=QuotaExceeded(hold.reason, hold.when))
            return observed
        self.progress = await self.pauses.hold(hold, self.progress, observed.at)
        return await self._observe()

    def _add_round(self, ref: RoundRef, result: SessionResult, imported: RoundImport) -> None:
        facts = facts_of(
            result,
            number=ref.number,
            tree=imported.movement.tree,
            undone=imported.movement.undone,
            tally=imported.look.tally,
            criteria=imported.look.criteria,
        )
        self.tip = imported.home.tip
        self.round_commits.append(RoundCommit(ref.number, self.tip))
        self.progress = replace(
            self.progress,
            running_s=self.progress.running_s + imported.took_s,
            history=(*self.progress.history, facts),
        )

    def _record_outcome(self, ref: RoundRef, result: SessionResult, observed: Observation) -> None:
        if self.progress.outage.failures:
            return  # the pause says why
        if (message := failure_message(result.outcome)) is not None:
            errors, max_retries = self.progress.consecutive_errors, observed.limits.max_retries
            failed = RoundFailed(ref.number, message, errors, max_retries)
            self.log.record(failed, once=f"failed {self.session_index}")
