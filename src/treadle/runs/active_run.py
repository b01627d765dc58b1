"""A run that this process executes: interrupts it, polls for requests, and records its end."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from types import UnionType
from typing import TypeVar

from treadle.adapters.stores.control_requests import ControlRequests
from treadle.domain.deliverable import tally
from treadle.domain.errors import StoreError
from treadle.domain.events.run import InterruptRequested, RunEnded
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.run import RunResult
from treadle.durable.port import Steps
from treadle.policy.redaction import Redactor
from treadle.runs.heartbeat import beat, with_last_beat
from treadle.session.session_timer import SessionTimer
from treadle.wiring.checked_request import SignalName
from treadle.wiring.run_context import RunContext
from treadle.workflows.loop.run_history import read_history
from treadle.workflows.loop.run_loop import RunLoop

T = TypeVar("T")

POLL_S = 1.0


@dataclass(slots=True)
class ActiveRun:
    """The context of the run, and its loop once that is built."""

    context: RunContext
    session_timer: SessionTimer
    loop: RunLoop | None = None

    def interrupt(self, by: SignalName) -> None:
        """Ask the run to end; its work so far is imported."""
        context = self.context
        if context.stop.reason:
            return
        try:
            context.recorder.record(InterruptRequested(by))
        finally:
            context.stop.request("cancelled" if by == "cancel" else "interrupted")

    def result(self, reason: ExitReason, message: str) -> RunResult:
        """The result of a run that ends outside its loop, from its log."""
        self.context.recorder.flush()
        directory = self.context.checked.directory
        history = with_last_beat(read_history(self.context.read_log()), directory)
        result = RunResult(
            reason=reason,
            rounds=history.rounds,
            tally=tally(history.deliverables),
            cost_usd=history.cost_usd,
            usage=history.usage,
            duration_s=history.running_s,
            message=message,
        )
        if self.loop is None:
            return result
        # The loop also counts time that no event holds: the import of work.
        progress = self.loop.current_progress()
        duration_s = round(max(result.duration_s, progress.running_s), 3)
        return replace(result, duration_s=duration_s, priced=progress.priced)

    def end(self, result: RunResult) -> None:
        """Record the end of the leg."""
        context = self.context
        if context.follower is not None:
            # Before the end is recorded: a run without an end is continued with a new follower.
            context.follower.close()
        context.recorder.record(RunEnded(result), once=f"ended {context.history.leg}")

    @asynccontextmanager
    async def watch_requests(self) -> AsyncIterator[None]:
        """Within the block, a request to cancel the run interrupts it."""
        polling = asyncio.create_task(self._poll_requests())
        try:
            yield
        finally:
            polling.cancel()
            with suppress(asyncio.CancelledError):
                await polling

    async def _poll_requests(self) -> None:
        context = self.context
        requests, directory = ControlRequests(context.database), context.checked.directory
        while True:
            # A full disk is reported by whatever must store something.
            with suppress(OSError):
                beat(directory, self.session_timer.current())
            with suppress(StoreError):
                request = requests.find_oldest(context.run)
                if request is not None:
                    self.interrupt(request.kind)
                    return
            await asyncio.sleep(POLL_S)


class RedactedSteps:
    """Steps whose results are redacted before they are stored, because they hold agents' text."""

    def __init__(self, steps: Steps, redact: Redactor) -> None:
        self._steps = steps
        self._redact = redact

    async def step(
        self, name: str, act: Callable[[], Awaitable[T]], *, returns: type[T] | UnionType
    ) -> T:
        async def redacted() -> T:
            return self._redact(await act())

        return await self._steps.step(name, redacted, returns=returns)

    async def patched(self, name: str) -> bool:
        return await self._steps.patched(name)
