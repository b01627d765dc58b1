"""The loop that all workflows share: decide, act through a durable step, repeat until a stop.

It is told through steps, so that a process that takes over tells it again and acts only what was
cut. What it decides by is what steps returned; what it records, it records once.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import assert_never

from treadle.domain.errors import SandboxBroken
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RoundFailed, RunPaused, RunResumed
from treadle.domain.events.work import PlanMade
from treadle.domain.ports import Clock
from treadle.domain.run import RunResult
from treadle.domain.session import Completed, QuotaExceeded, SandboxError, SessionResult
from treadle.durable.port import Steps
from treadle.session.faults import pause_after
from treadle.session.quota_messages import wait_until
from treadle.session.session_admission import WaitUntil
from treadle.workflows.deliver.next_action import DecisionRules, decide_next
from treadle.workflows.deliver.result import ended
from treadle.workflows.loop.approval_requests import ApprovalRequester, ask
from treadle.workflows.loop.failing_tests_question import AcceptFailures, meaning_of, tests_question
from treadle.workflows.loop.findings import RoundCommit
from treadle.workflows.loop.limit_checks import limit_warnings
from treadle.workflows.loop.next_action import (
    AskAboutTests,
    NextAction,
    Reverify,
    RunSession,
    StopRun,
    WaitForQuota,
)
from treadle.workflows.loop.observation import Observation, Pacing, RunPause
from treadle.workflows.loop.round_steps import (
    RoundImport,
    RoundRef,
    RoundSteps,
    RoundVerification,
    SessionAttempt,
)
from treadle.workflows.loop.run_progress import (
    RunProgress,
    after_answer,
    after_session,
    after_verification,
    failure_message,
)
from treadle.workflows.loop.stuck import facts_of

SLICE_S = 60.0


@dataclass(slots=True)
class RunLoop:
    """Everything a `deliver` run works with, and how far it has come."""

    steps: Steps
    pacing: Pacing
    spec_hash: str
    rounds: RoundSteps
    clock: Clock
    record_once: Callable[[str, Event], None]
    stop: asyncio.Event
    jitter: Callable[[], float]
    progress: RunProgress
    # The commit that the last round ended at.
    tip: str
    asker: ApprovalRequester | None = None
    # What makes a workflow this one: what it decides, and its own steps once work is home.
    decide: Callable[[RunProgress, DecisionRules], NextAction] = decide_next
    after: Callable[[RoundRef, SessionResult, RoundImport], Awaitable[None]] | None = None
    # Where each round of this leg ended, and before them where it began.
    round_commits: list[RoundCommit] = field(default_factory=list)
    reverifications: int = 0
    questions: int = 0
    turn: int = 0
    attempts: int = 0
    pauses: int = 0
    observations: int = 0
    warned: set[str] = field(default_factory=set)
    began: float | None = None  # of what runs now and is not counted yet

    def so_far(self) -> RunProgress:
        """The progress with the time of what runs now, which is counted at its end."""
        took = 0.0 if self.began is None else self.clock.monotonic() - self.began
        return replace(self.progress, running_s=self.progress.running_s + took)

    async def run(self) -> RunResult:
        """Round after round, until the first reason to stop."""
        look = await self._observe()
        if look.unshown:
            look = await self._verify("verify 0", self.rounds.baseline)
        while True:
            self._apply_observation(look)
            rules = DecisionRules(look.limits, look.wait_for_quota, look.fix_rounds)
            match self.decide(self.progress, rules):
                case StopRun() as stop:
                    return ended(self.progress, stop)
                case WaitForQuota() as wait:
                    look = await self._wait(wait)
                case RunSession() as work:
                    look = await self._work(work, look)
                case Reverify():
                    look = await self._reverify()
                case AskAboutTests():
                    look = await self._ask_about_tests()
                case unreachable:
                    assert_never(unreachable)

    def _apply_observation(self, look: Observation) -> None:
        self.progress = replace(
            self.progress,
            tally=look.tally,
            stopping=look.stopping,
            provable=look.provable,
            others_today_usd=look.others_today_usd,
        )
        for warning in limit_warnings(self.progress, look.limits, self.warned):
            self.warned.add(warning.limit)
            self.record_once(f"neared {warning.limit}", warning)

    async def _observe(self) -> Observation:
        self.observations += 1
        return await self.steps.step(
            f"look {self.observations}", self.rounds.observe, returns=Observation
        )

    async def _work(self, work: RunSession, look: Observation) -> Observation:
        if self.progress.rounds or self.progress.last:
            await self._sleep_until(look.at + timedelta(seconds=self._delay()))
        number = self.progress.rounds + 1
        place = RoundRef(self.turn, number, work.instruction, self.progress.findings)
        self.began = self.clock.monotonic()
        try:
            attempt = await self._session(place, look)
            running_s = self.progress.running_s + attempt.prepared_s
            self.progress = replace(self.progress, running_s=running_s)
            if attempt.result is None:
                return await self._wait_for_admission(attempt.hold, look)
            self.turn += 1
            # Counted before anything else can fail: the money is spent.
            self.progress = after_session(self.progress, attempt.result)
            self.began = self.clock.monotonic()
            if isinstance(attempt.result.outcome, SandboxError):
                # Something may be at work in the tree still, so no git of ours goes there.
                self._record_outcome(place, attempt.result, look)
                return look
            act = partial(self.rounds.import_round, place, self.tip)
            home = await self.steps.step(f"home {self.turn}", act, returns=RoundImport)
            before = self.tip
            self._add_round(place, attempt.result, home)
            self.began = self.clock.monotonic()
            self._record_outcome(place, attempt.result, look)
            if self.after is not None:
                await self.after(place, attempt.result, home)
            return await self._verify(f"verify {self.turn}", before) if home.due else home.look
        finally:
            self.began = None

    async def _verify(self, step: str, before: str) -> Observation:
        act = partial(self.rounds.verify, before, self.tip, self.progress.accepted)
        return self._apply_findings(await self.steps.step(step, act, returns=RoundVerification))

    async def _reverify(self) -> Observation:
        self.reverifications += 1
        act = partial(self.rounds.reverify, tuple(self.round_commits), self.progress.accepted)
        self.began = self.clock.monotonic()
        try:
            verified = await self.steps.step(
                f"show {self.reverifications}", act, returns=RoundVerification
            )
        finally:
            self.began = None
        return self._apply_findings(verified, whole=True)

    def _apply_findings(self, verified: RoundVerification, *, whole: bool = False) -> Observation:
        self.progress = after_verification(
            self.progress, verified.findings, took_s=verified.took_s, whole=whole
        )
        return verified.look

    async def _ask_about_tests(self) -> Observation:
        if self.asker is None:
            raise AssertionError("whoever has tests to run has somebody to ask")
        self.questions += 1
        objections = self.progress.objections
        question = tests_question(objections, rounds=self.progress.gate_failures)
        step = f"failing tests {self.questions}"
        outcome = await ask(self.steps, self.asker, question, step=step)
        meaning = meaning_of(outcome, objections)
        self.progress = after_answer(self.progress, meaning)
        if not isinstance(meaning, AcceptFailures):
            return await self._observe()
        # What was claimed last may have nothing else against it.
        return await self._verify(f"accepted {self.questions}", self.tip)

    async def _session(self, place: RoundRef, look: Observation) -> SessionAttempt:
        self.attempts += 1
        act = partial(self.rounds.session, place, self.progress, look)
        try:
            return await self.steps.step(f"session {self.attempts}", act, returns=SessionAttempt)
        except SandboxBroken:
            raise  # something may be at work in the tree still
        except Exception:
            # Whatever went wrong, what the session has left is brought to safety.
            await self.rounds.import_round(place, self.tip)
            raise

    async def _wait_for_admission(self, hold: WaitUntil | None, look: Observation) -> Observation:
        """Nothing was begun: the run is to stop, or something that all runs share is shut."""
        if hold is None:
            return await self._observe()
        if hold.cause == "quota" and not look.wait_for_quota:
            self.progress = replace(self.progress, last=QuotaExceeded(hold.reason, hold.when))
            return look
        return await self._pause(hold.reason, RunPause(hold.when))

    def _add_round(self, place: RoundRef, result: SessionResult, home: RoundImport) -> None:
        facts = facts_of(
            result,
            number=place.number,
            tree=home.movement.tree,
            undone=home.movement.undone,
            tally=home.look.tally,
            criteria=home.look.criteria,
        )
        self.tip = home.home.tip
        self.round_commits.append(RoundCommit(place.number, self.tip))
        self.progress = replace(
            self.progress,
            running_s=self.progress.running_s + home.took_s,
            history=(*self.progress.history, facts),
        )

    def _record_outcome(self, place: RoundRef, result: SessionResult, look: Observation) -> None:
        if (message := failure_message(result.outcome)) is not None:
            errors, most = self.progress.consecutive_errors, look.limits.max_retries
            failed = RoundFailed(place.number, message, errors, most)
            self.record_once(f"failed {self.turn}", failed)
        if place.instruction == "initializer" and isinstance(result.outcome, Completed):
            self.progress = replace(self.progress, plan_outdated=False)
            if self.rounds.board.tally().total:
                self.record_once(f"planned {self.turn}", PlanMade(self.spec_hash))

    def _delay(self) -> float:
        """Between rounds; longer after each failure in a row, so that trouble can pass."""
        errors, last = self.progress.consecutive_errors, self.progress.last
        if not errors or last is None:
            return self.pacing.delay_s
        base_s = self.pacing.backoff_s
        return max(
            self.pacing.delay_s, pause_after(last, errors, base_s=base_s, jitter=self.jitter())
        )

    async def _wait(self, wait: WaitForQuota) -> Observation:
        act = partial(self._quota_pause, wait)
        pause = await self.steps.step(f"pause {self.pauses + 1}", act, returns=RunPause)
        self.progress = replace(self.progress, last=None, waits=self.progress.waits + 1)
        return await self._pause(wait.message, pause)

    async def _quota_pause(self, wait: WaitForQuota) -> RunPause:
        now, margin_s = self.clock.now(), self.pacing.quota_margin_s
        return RunPause(wait_until(wait.resets_at, now, self.jitter(), margin_s=margin_s))

    async def _pause(self, reason: str, pause: RunPause) -> Observation:
        self.pauses += 1
        self.record_once(f"paused {self.pauses}", RunPaused(reason, pause.until))
        await self._sleep_until(pause.until)
        if not self.stop.is_set():
            self.record_once(f"resumed {self.pauses}", RunResumed())
        return await self._observe()

    async def _sleep_until(self, when: datetime) -> None:
        """Wait for a moment that a step decided, unless the run is asked to stop.

        In slices by the clock on the wall: a machine that slept meanwhile has waited, too.
        """
        while not self.stop.is_set() and (left := (when - self.clock.now()).total_seconds()) > 0:
            sleeping = asyncio.ensure_future(self.clock.sleep(min(left, SLICE_S)))
            stopping = asyncio.ensure_future(self.stop.wait())
            try:
                await asyncio.wait({sleeping, stopping}, return_when="FIRST_COMPLETED")
            finally:
                for task in (sleeping, stopping):
                    task.cancel()
