"""Waits between sessions: for the quota, for a service that fails, and before a retry.

The end of a wait is decided in a step, so a process that takes over waits for the same moment.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from math import inf
from typing import assert_never

from treadle.domain.events.run import RunPaused, RunResumed
from treadle.domain.ports import Clock, Log
from treadle.durable.port import Steps
from treadle.session.faults import pause_after
from treadle.session.quota_messages import wait_until
from treadle.session.session_admission import SessionAdmission, WaitUntil
from treadle.session.stop_signal import unless_stopped
from treadle.workflows.loop.next_action import WaitForQuota, WaitForService
from treadle.workflows.loop.observation import Pacing, RunPause
from treadle.workflows.loop.run_progress import RunProgress, after_service_wait

SLICE_S = 60.0


@dataclass(slots=True)
class RunPauses:
    """The pauses of one leg."""

    steps: Steps
    pacing: Pacing
    clock: Clock
    # Counts its keys per leg.
    log: Log
    stop: asyncio.Event
    jitter: Callable[[], float]
    admission: SessionAdmission
    count: int = 0

    async def wait(
        self, wait: WaitForQuota | WaitForService, progress: RunProgress, at: datetime
    ) -> RunProgress:
        """Wait for quota or service; `at` is the time of the last observation."""
        match wait:
            case WaitForQuota():
                pause = await self._decide(partial(self._quota_pause, wait))
                await self._pause(wait.message, pause)
                return replace(progress, last=None, waits=progress.waits + 1)
            case WaitForService(failure=failure):
                act = partial(self._service_pause, wait, progress.outage.failures)
                pause = await self._decide(act)
                await self._pause(f"{self.admission.service}: {failure.message}", pause)
                return after_service_wait(progress, _length_s(pause, at))
            case unreachable:
                assert_never(unreachable)

    async def hold(self, hold: WaitUntil, progress: RunProgress, at: datetime) -> RunProgress:
        """Wait because no session may start before then."""
        pause = RunPause(hold.when, hold.seconds)
        await self._pause(hold.reason, pause)
        match hold.cause:
            case "quota":
                return progress
            case "breaker":
                return after_service_wait(progress, _length_s(pause, at))
            case unreachable:
                assert_never(unreachable)

    async def sleep_until(self, when: datetime, *, most_s: float = inf) -> None:
        """Wait until a time that a step decided, unless the run is asked to stop.

        Ends at that time of the wall clock, but after `most_s` and after what is left at the start:
        a clock that is set back lengthens no wait. Sleeps in slices, so that a suspended machine
        counts as waiting.
        """
        began, most_s = self.clock.elapsed(), min(most_s, self._seconds_to(when))
        while not self.stop.is_set():
            left_s = min(self._seconds_to(when), most_s - (self.clock.elapsed() - began))
            if left_s <= 0:
                return
            await unless_stopped(self.clock.sleep(min(left_s, SLICE_S)), self.stop)

    async def sleep_for(self, seconds: float, *, since: datetime) -> None:
        """The same for a time after the last observation."""
        await self.sleep_until(since + timedelta(seconds=seconds), most_s=seconds)

    def _seconds_to(self, when: datetime) -> float:
        return (when - self.clock.now()).total_seconds()

    async def _decide(self, act: Callable[[], Awaitable[RunPause]]) -> RunPause:
        return await self.steps.step(f"pause {self.count + 1}", act, returns=RunPause)

    async def _quota_pause(self, wait: WaitForQuota) -> RunPause:
        now, margin_s = self.clock.now(), self.pacing.quota_margin_s
        until = wait_until(wait.resets_at, now, self.jitter(), margin_s=margin_s)
        return RunPause(until, (until - now).total_seconds())

    async def _service_pause(self, wait: WaitForService, failures: int) -> RunPause:
        base_s = self.pacing.backoff_s
        pause_s = pause_after(wait.failure, failures, base_s=base_s, jitter=self.jitter())
        now = self.clock.now()
        until = now + timedelta(seconds=pause_s)
        until = max(until, self.admission.left_alone_until() or until)
        return RunPause(until, (until - now).total_seconds())

    async def _pause(self, reason: str, pause: RunPause) -> None:
        self.count += 1
        self.log.record(RunPaused(reason, pause.until), once=f"paused {self.count}")
        await self.sleep_until(pause.until, most_s=inf if pause.seconds is None else pause.seconds)
        if not self.stop.is_set():
            self.log.record(RunResumed(), once=f"resumed {self.count}")


def _length_s(pause: RunPause, at: datetime) -> float:
    """The length of a pause; in a run of before it was noted, since the last observation."""
    return (pause.until - at).total_seconds() if pause.seconds is None else pause.seconds
