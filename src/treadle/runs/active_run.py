"""A run that this process executes: what its parts share, and how it is stopped."""

import asyncio
from dataclasses import dataclass, field, replace

from treadle.adapters.stores.database import Database
from treadle.adapters.stores.event_store import EventStore
from treadle.adapters.stores.recorder import Recorder
from treadle.adapters.stores.run_list import host_of
from treadle.domain.deliverable import tally
from treadle.domain.events.run import InterruptRequested, RunEnded
from treadle.domain.run import ExitReason, LandingMode, RunResult
from treadle.domain.sandbox import Sandbox
from treadle.policy.redaction import Redactor
from treadle.runs.interrupts import Name
from treadle.runs.request import CheckedRequest
from treadle.wiring.browser import Servers
from treadle.wiring.focus_files import FocusFiles
from treadle.workflows.loop.observation import StopReason
from treadle.workflows.loop.run_history import RunHistory, read_history
from treadle.workflows.loop.run_loop import RunLoop
from treadle.workflows.loop.run_progress import RunProgress


@dataclass(frozen=True, slots=True)
class LandingChoice:
    """Whether finished work lands, and where the question is put if there is one."""

    when: LandingMode = "auto"
    by_approval: bool = False


def landing_when(wanted: LandingMode, *, separated: bool) -> LandingMode:
    """Not without a person where others could have said in the agent's name that all is done."""
    return "ask" if wanted == "auto" and not separated else wanted


@dataclass(slots=True)
class ActiveRun:
    """`known` is what the log said when this process took the run on."""

    ready: CheckedRequest
    database: Database
    recorder: Recorder
    history: RunHistory
    clean: Redactor
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    stopping: StopReason = ""
    loop: RunLoop | None = None
    landing: LandingChoice = field(default_factory=LandingChoice)
    # None: a person has given it up.
    sandbox: Sandbox | None = None
    # Whether the sandbox keeps the agent apart from what it starts.
    separated: bool = True
    # Looked for on the disk once: see `wiring.equipment.servers_of`.
    servers: Servers | None = None
    # Of a `focus` run: its course, and the working files that follow it.
    focus_files: FocusFiles | None = None

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
        """The result of a run that is ended in the middle: what its log has of it counts."""
        self.recorder.flush()
        store = EventStore(self.database, host_of(self.ready.environment.root))
        known = read_history(store.read(self.ready.request.run))
        result = RunResult(
            reason=reason,
            rounds=known.rounds,
            tally=tally(known.deliverables),
            cost_usd=known.cost_usd,
            usage=known.usage,
            duration_s=known.running_s,
            message=message,
        )
        return result if self.loop is None else self._at_least(result, self.loop.so_far())

    def _at_least(self, result: RunResult, progress: RunProgress) -> RunResult:
        """The story knows time that no event tells of: the work that is brought home."""
        return replace(
            result,
            duration_s=round(max(result.duration_s, progress.running_s), 3),
            priced=progress.priced,
        )

    def end(self, result: RunResult) -> None:
        if self.focus_files is not None:
            # First: whoever goes on with a run that has not ended has them again.
            self.focus_files.put_away()
        self.recorder.record(RunEnded(result), once=f"ended {self.history.leg}")
