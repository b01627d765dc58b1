"""The story of `deliver`: SPEC.md in, verified rounds of one fresh session each, work out."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import assert_never

from treadle.domain.events.log import Event
from treadle.domain.events.run import RoundFailed, RoundStarted, RunPaused, RunResumed
from treadle.domain.ports import Clock
from treadle.domain.run import RunResult
from treadle.domain.session import SessionResult
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


@dataclass(frozen=True, slots=True)
class Story:
    """Everything a `deliver` run works with."""

    rules: Rules
    delay_s: float
    quota_margin_s: float
    rounds: Rounds
    board: Board
    clock: Clock
    record: Callable[[Event], None]
    stop: asyncio.Event
    jitter: Callable[[], float]

    async def tell(self) -> RunResult:
        """Round after round, until the first reason to stop."""
        progress = Progress()
        while True:
            self.board.adopt()
            progress = replace(progress, tally=self.board.tally(), interrupted=self.stop.is_set())
            match next_step(progress, self.rules):
                case Stop() as stop:
                    return _result(progress, stop)
                case WaitForQuota() as wait:
                    await self._wait(wait)
                    progress = replace(progress, last=None)
                case Work() as work:
                    if progress.rounds or progress.last:
                        await self._pause(self.delay_s)
                    if not self.stop.is_set():
                        progress = await self._round(progress, work)
                case unreachable:
                    assert_never(unreachable)

    async def _round(self, progress: Progress, work: Work) -> Progress:
        number = progress.rounds + 1
        self.record(RoundStarted(number, work.instruction))
        began = self.clock.monotonic()
        result = await self.rounds.run(number, work.instruction, progress)
        result = replace(result, duration_s=self.clock.monotonic() - began)
        progress = after_session(progress, result)
        self._tell_failure(progress, result)
        return progress

    def _tell_failure(self, progress: Progress, result: SessionResult) -> None:
        if (message := failure(result.outcome)) is not None:
            errors, most = progress.consecutive_errors, self.rules.limits.max_retries
            self.record(RoundFailed(progress.rounds, message, errors, most))

    async def _wait(self, wait: WaitForQuota) -> None:
        now = self.clock.now()
        until = wait_until(wait.resets_at, now, self.jitter(), margin_s=self.quota_margin_s)
        self.record(RunPaused(wait.message, until))
        await self._pause((until - now).total_seconds())
        self.record(RunResumed())

    async def _pause(self, seconds: float) -> None:
        """Sleep, unless the run is asked to stop."""
        sleeping = asyncio.ensure_future(self.clock.sleep(seconds))
        stopping = asyncio.ensure_future(self.stop.wait())
        await asyncio.wait({sleeping, stopping}, return_when="FIRST_COMPLETED")
        for task in (sleeping, stopping):
            task.cancel()


def _result(progress: Progress, stop: Stop) -> RunResult:
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
