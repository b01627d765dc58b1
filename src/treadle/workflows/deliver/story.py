"""The story of `deliver`: SPEC.md in, verified rounds of one fresh session each, work out."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import assert_never

from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RoundFailed, RoundStarted, RunPaused, RunResumed
from treadle.domain.events.work import PlanMade
from treadle.domain.ports import Clock
from treadle.domain.run import RunResult
from treadle.domain.session import Completed, SessionResult
from treadle.session.errors import backoff
from treadle.session.quota import wait_until
from treadle.workflows.deliver.board import Board
from treadle.workflows.deliver.next_step import (
    Progress,
    Rules,
    Stop,
    WaitForQuota,
    Work,
    after_session,
    failure,
    next_step,
)
from treadle.workflows.deliver.rounds import Rounds

MAX_BACKOFF_S = 300.0
SLICE_S = 60.0


@dataclass(slots=True)
class Story:
    """Everything a `deliver` run works with, and how far it has come."""

    rules: Rules
    delay_s: float
    backoff_s: float
    quota_margin_s: float
    spec_hash: str
    rounds: Rounds
    board: Board
    clock: Clock
    record: Callable[[Event], None]
    stop: asyncio.Event
    jitter: Callable[[], float]
    progress: Progress = field(default_factory=Progress)
    began: float | None = None  # of the round that runs

    def so_far(self) -> Progress:
        """The progress with the round that runs, whose cost is not known before its end."""
        known = replace(self.progress, tally=self.board.tally())
        if self.began is None:
            return known
        took = self.clock.monotonic() - self.began
        return replace(known, rounds=known.rounds + 1, running_s=known.running_s + took)

    async def tell(self) -> RunResult:
        """Round after round, until the first reason to stop."""
        while True:
            self.board.adopt()
            self.progress = replace(
                self.progress, tally=self.board.tally(), interrupted=self.stop.is_set()
            )
            match next_step(self.progress, self.rules):
                case Stop() as stop:
                    return ended(self.progress, stop)
                case WaitForQuota() as wait:
                    await self._wait(wait)
                case Work() as work:
                    await self._work(work)
                case unreachable:
                    assert_never(unreachable)

    async def _work(self, work: Work) -> None:
        if self.progress.rounds or self.progress.last:
            await self._pause(self._delay())
        if self.stop.is_set():
            return
        number = self.progress.rounds + 1
        self.record(RoundStarted(number, work.instruction))
        with self._running_time():
            try:
                result = await self.rounds.run(work.instruction, self.progress)
                # Counted before anything else can fail: the money is spent.
                self.progress = after_session(self.progress, replace(result, duration_s=0.0))
            finally:
                await self.rounds.bring_home(number)
        self._judge(number, work, result)

    @contextmanager
    def _running_time(self) -> Iterator[None]:
        """Bringing the work home is part of it, and a failure is no reason to forget it."""
        began = self.began = self.clock.monotonic()
        try:
            yield
        finally:
            self.began = None
            took = self.clock.monotonic() - began
            self.progress = replace(self.progress, running_s=self.progress.running_s + took)

    def _judge(self, number: int, work: Work, result: SessionResult) -> None:
        if (message := failure(result.outcome)) is not None:
            errors, most = self.progress.consecutive_errors, self.rules.limits.max_retries
            self.record(RoundFailed(number, message, errors, most))
        if work.instruction == "initializer" and isinstance(result.outcome, Completed):
            self.progress = replace(self.progress, plan_outdated=False)
            if self.board.tally().total:
                self.record(PlanMade(self.spec_hash))

    def _delay(self) -> float:
        """Between rounds; longer after each failure in a row, so that trouble can pass."""
        errors = self.progress.consecutive_errors
        if not errors:
            return self.delay_s
        # Never less than half of the ceiling: a retry at once would help nobody.
        jitter = 0.5 + self.jitter() / 2
        waited = backoff(errors, base_s=self.backoff_s, cap_s=MAX_BACKOFF_S, jitter=jitter)
        return max(self.delay_s, waited)

    async def _wait(self, wait: WaitForQuota) -> None:
        now = self.clock.now()
        until = wait_until(wait.resets_at, now, self.jitter(), margin_s=self.quota_margin_s)
        self.record(RunPaused(wait.message, until))
        # In slices by the clock on the wall: a machine that slept meanwhile has waited, too.
        while not self.stop.is_set() and (left := (until - self.clock.now()).total_seconds()) > 0:
            await self._pause(min(left, SLICE_S))
        self.record(RunResumed())
        self.progress = replace(self.progress, last=None, waits=self.progress.waits + 1)

    async def _pause(self, seconds: float) -> None:
        """Sleep, unless the run is asked to stop."""
        sleeping = asyncio.ensure_future(self.clock.sleep(seconds))
        stopping = asyncio.ensure_future(self.stop.wait())
        await asyncio.wait({sleeping, stopping}, return_when="FIRST_COMPLETED")
        for task in (sleeping, stopping):
            task.cancel()


def ended(progress: Progress, stop: Stop) -> RunResult:
    """The result of a run that came this far and stopped for this reason."""
    return RunResult(
        reason=stop.reason,
        rounds=progress.rounds,
        tally=progress.tally,
        cost_usd=round(progress.cost_usd, 6),
        usage=progress.usage,
        duration_s=round(progress.running_s, 3),
        message=stop.message,
        priced=progress.priced,
    )
