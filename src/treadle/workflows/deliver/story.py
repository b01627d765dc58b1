"""The story of `deliver`: SPEC.md in, verified rounds of one fresh session each, work out."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import assert_never

from treadle.domain.events.log import Event
from treadle.domain.events.run import RoundFailed, RoundStarted, RunPaused, RunResumed
from treadle.domain.ports import Clock
from treadle.domain.run import RunResult
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


@dataclass(slots=True)
class Story:
    """Everything a `deliver` run works with, and how far it has come."""

    rules: Rules
    delay_s: float
    quota_margin_s: float
    rounds: Rounds
    board: Board
    clock: Clock
    record: Callable[[Event], None]
    stop: asyncio.Event
    jitter: Callable[[], float]
    progress: Progress = field(default_factory=Progress)

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
            await self._pause(self.delay_s)
        if self.stop.is_set():
            return
        number = self.progress.rounds + 1
        self.record(RoundStarted(number, work.instruction, self.progress.tally))
        began = self.clock.monotonic()
        result = await self.rounds.run(number, work.instruction, self.progress)
        # Bringing the work home is running time as well.
        result = replace(result, duration_s=self.clock.monotonic() - began)
        self.progress = after_session(self.progress, result)
        if (message := failure(result.outcome)) is not None:
            errors, most = self.progress.consecutive_errors, self.rules.limits.max_retries
            self.record(RoundFailed(number, message, errors, most))

    async def _wait(self, wait: WaitForQuota) -> None:
        now = self.clock.now()
        until = wait_until(wait.resets_at, now, self.jitter(), margin_s=self.quota_margin_s)
        self.record(RunPaused(wait.message, until))
        await self._pause((until - now).total_seconds())
        self.record(RunResumed())
        self.progress = replace(self.progress, last=None)

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
