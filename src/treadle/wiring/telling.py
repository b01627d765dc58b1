"""A run as this process tells it: what its parts share, and how it is ended from outside."""

import asyncio
from dataclasses import dataclass, field

from treadle.adapters.stores.database import Database
from treadle.adapters.stores.recorder import Recorder
from treadle.domain.events.run import InterruptRequested, RunEnded
from treadle.domain.run import ExitReason, RunResult
from treadle.wiring.deliver_request import Ready
from treadle.wiring.interrupts import Name
from treadle.workflows.deliver.decisions import Stop
from treadle.workflows.deliver.look import Stopping
from treadle.workflows.deliver.progress import Progress
from treadle.workflows.deliver.recollection import Recollection
from treadle.workflows.deliver.story import Story, ended


@dataclass(slots=True)
class Telling:
    """`known` is what the log said when this process took the run on."""

    ready: Ready
    database: Database
    recorder: Recorder
    known: Recollection
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    stopping: Stopping = ""
    story: Story | None = None

    def interrupt(self, by: Name) -> None:
        """Ask the run to end; its work so far is brought to safety."""
        if self.stopping:
            return
        try:
            self.recorder.record(InterruptRequested(by))
        finally:
            self.stopping = "cancelled" if by == "cancel" else "interrupted"
            self.stop.set()

    def ended(self, reason: ExitReason, message: str) -> RunResult:
        progress = Progress() if self.story is None else self.story.so_far()
        return ended(progress, Stop(reason, message))

    def end(self, result: RunResult) -> None:
        self.recorder.record_once(f"ended {self.known.leg}", RunEnded(result))
