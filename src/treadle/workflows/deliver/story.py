"""The story of `deliver`: SPEC.md in, verified rounds of one fresh session each, work out.

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
from treadle.session.errors import pause_after
from treadle.session.gates import WaitUntil
from treadle.session.quota import wait_until
from treadle.workflows.approvals import Asker, ask
from treadle.workflows.deliver.decisions import (
    AskAboutTests,
    ShowAgain,
    Step,
    Stop,
    WaitForQuota,
    Work,
)
from treadle.workflows.deliver.findings import Tip
from treadle.workflows.deliver.limits import neared
from treadle.workflows.deliver.look import Look
from treadle.workflows.deliver.next_step import Rules, next_step
from treadle.workflows.deliver.progress import (
    Progress,
    after_answer,
    after_session,
    after_verification,
    failure,
)
from treadle.workflows.deliver.result import ended
from treadle.workflows.deliver.rounds import Attempt, Homecoming, Place, Rounds, Verified
from treadle.workflows.deliver.stuck import facts_of
from treadle.workflows.deliver.tests_question import LetFail, meaning_of, tests_question

SLICE_S = 60.0


@dataclass(frozen=True, slots=True)
class Manner:
    """How the run goes about waiting and retrying."""

    delay_s: float
    backoff_s: float
    quota_margin_s: float


@dataclass(frozen=True, slots=True)
class Pause:
    """A moment to wait for, decided once."""

    until: datetime


@dataclass(slots=True)
class Story:
    """Everything a `deliver` run works with, and how far it has come."""

    steps: Steps
    manner: Manner
    spec_hash: str
    rounds: Rounds
    clock: Clock
    record_once: Callable[[str, Event], None]
    stop: asyncio.Event
    jitter: Callable[[], float]
    progress: Progress
    # The commit that the last round ended at.
    tip: str
    asker: Asker | None = None
    # What makes a workflow this one: what it decides, and its own steps once work is home.
    decide: Callable[[Progress, Rules], Step] = next_step
    after: Callable[[Place, SessionResult, Homecoming], Awaitable[None]] | None = None
    # Where each round of this leg ended, and before them where it began.
    tips: list[Tip] = field(default_factory=list)
    shows: int = 0
    questions: int = 0
    turn: int = 0
    attempts: int = 0
    pauses: int = 0
    looks: int = 0
    warned: set[str] = field(default_factory=set)
    began: float | None = None  # of what runs now and is not counted yet

    def so_far(self) -> Progress:
        """The progress with the time of what runs now, which is counted at its end."""
        took = 0.0 if self.began is None else self.clock.monotonic() - self.began
        return replace(self.progress, running_s=self.progress.running_s + took)

    async def tell(self) -> RunResult:
        """Round after round, until the first reason to stop."""
        look = await self._look()
        if look.unshown:
            look = await self._verify("verify 0", self.rounds.baseline)
        while True:
            self._see(look)
            rules = Rules(look.limits, look.wait_for_quota, look.fix_rounds)
            match self.decide(self.progress, rules):
                case Stop() as stop:
                    return ended(self.progress, stop)
                case WaitForQuota() as wait:
                    look = await self._wait(wait)
                case Work() as work:
                    look = await self._work(work, look)
                case ShowAgain():
                    look = await self._show_again()
                case AskAboutTests():
                    look = await self._ask_about_tests()
                case unreachable:
                    assert_never(unreachable)

    def _see(self, look: Look) -> None:
        self.progress = replace(
            self.progress,
            tally=look.tally,
            stopping=look.stopping,
            provable=look.provable,
            others_today_usd=look.others_today_usd,
        )
        for warning in neared(self.progress, look.limits, self.warned):
            self.warned.add(warning.limit)
            self.record_once(f"neared {warning.limit}", warning)

    async def _look(self) -> Look:
        self.looks += 1
        return await self.steps.step(f"look {self.looks}", self.rounds.look, returns=Look)

    async def _work(self, work: Work, look: Look) -> Look:
        if self.progress.rounds or self.progress.last:
            await self._until(look.at + timedelta(seconds=self._delay()))
        number = self.progress.rounds + 1
        place = Place(self.turn, number, work.instruction, self.progress.told)
        self.began = self.clock.monotonic()
        try:
            attempt = await self._session(place, look)
            running_s = self.progress.running_s + attempt.prepared_s
            self.progress = replace(self.progress, running_s=running_s)
            if attempt.result is None:
                return await self._held(attempt.hold, look)
            self.turn += 1
            # Counted before anything else can fail: the money is spent.
            self.progress = after_session(self.progress, attempt.result)
            self.began = self.clock.monotonic()
            if isinstance(attempt.result.outcome, SandboxError):
                # Something may be at work in the tree still, so no git of ours goes there.
                self._judge(place, attempt.result, look)
                return look
            act = partial(self.rounds.bring_home, place, self.tip)
            home = await self.steps.step(f"home {self.turn}", act, returns=Homecoming)
            before = self.tip
            self._count(place, attempt.result, home)
            self.began = self.clock.monotonic()
            self._judge(place, attempt.result, look)
            if self.after is not None:
                await self.after(place, attempt.result, home)
            return await self._verify(f"verify {self.turn}", before) if home.due else home.look
        finally:
            self.began = None

    async def _verify(self, step: str, before: str) -> Look:
        act = partial(self.rounds.verify, before, self.tip, self.progress.accepted)
        return self._found(await self.steps.step(step, act, returns=Verified))

    async def _show_again(self) -> Look:
        self.shows += 1
        act = partial(self.rounds.show_again, tuple(self.tips), self.progress.accepted)
        self.began = self.clock.monotonic()
        try:
            verified = await self.steps.step(f"show {self.shows}", act, returns=Verified)
        finally:
            self.began = None
        return self._found(verified, whole=True)

    def _found(self, verified: Verified, *, whole: bool = False) -> Look:
        self.progress = after_verification(
            self.progress, verified.findings, took_s=verified.took_s, whole=whole
        )
        return verified.look

    async def _ask_about_tests(self) -> Look:
        if self.asker is None:
            raise AssertionError("whoever has tests to run has somebody to ask")
        self.questions += 1
        objections = self.progress.objections
        question = tests_question(objections, rounds=self.progress.gate_failures)
        step = f"failing tests {self.questions}"
        outcome = await ask(self.steps, self.asker, question, step=step)
        meaning = meaning_of(outcome, objections)
        self.progress = after_answer(self.progress, meaning)
        if not isinstance(meaning, LetFail):
            return await self._look()
        # What was claimed last may have nothing else against it.
        return await self._verify(f"accepted {self.questions}", self.tip)

    async def _session(self, place: Place, look: Look) -> Attempt:
        self.attempts += 1
        act = partial(self.rounds.session, place, self.progress, look)
        try:
            return await self.steps.step(f"session {self.attempts}", act, returns=Attempt)
        except SandboxBroken:
            raise  # something may be at work in the tree still
        except Exception:
            # Whatever went wrong, what the session has left is brought to safety.
            await self.rounds.bring_home(place, self.tip)
            raise

    async def _held(self, hold: WaitUntil | None, look: Look) -> Look:
        """Nothing was begun: the run is to stop, or something that all runs share is shut."""
        if hold is None:
            return await self._look()
        if hold.cause == "quota" and not look.wait_for_quota:
            self.progress = replace(self.progress, last=QuotaExceeded(hold.reason, hold.when))
            return look
        return await self._pause(hold.reason, Pause(hold.when))

    def _count(self, place: Place, result: SessionResult, home: Homecoming) -> None:
        facts = facts_of(
            result,
            number=place.number,
            tree=home.movement.tree,
            undone=home.movement.undone,
            tally=home.look.tally,
            criteria=home.look.criteria,
        )
        self.tip = home.home.tip
        self.tips.append(Tip(place.number, self.tip))
        self.progress = replace(
            self.progress,
            running_s=self.progress.running_s + home.took_s,
            history=(*self.progress.history, facts),
        )

    def _judge(self, place: Place, result: SessionResult, look: Look) -> None:
        if (message := failure(result.outcome)) is not None:
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
            return self.manner.delay_s
        base_s = self.manner.backoff_s
        return max(
            self.manner.delay_s, pause_after(last, errors, base_s=base_s, jitter=self.jitter())
        )

    async def _wait(self, wait: WaitForQuota) -> Look:
        act = partial(self._when_back, wait)
        pause = await self.steps.step(f"pause {self.pauses + 1}", act, returns=Pause)
        self.progress = replace(self.progress, last=None, waits=self.progress.waits + 1)
        return await self._pause(wait.message, pause)

    async def _when_back(self, wait: WaitForQuota) -> Pause:
        now, margin_s = self.clock.now(), self.manner.quota_margin_s
        return Pause(wait_until(wait.resets_at, now, self.jitter(), margin_s=margin_s))

    async def _pause(self, reason: str, pause: Pause) -> Look:
        self.pauses += 1
        self.record_once(f"paused {self.pauses}", RunPaused(reason, pause.until))
        await self._until(pause.until)
        if not self.stop.is_set():
            self.record_once(f"resumed {self.pauses}", RunResumed())
        return await self._look()

    async def _until(self, when: datetime) -> None:
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
