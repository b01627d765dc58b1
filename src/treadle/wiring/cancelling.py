"""Cancels a run from any terminal: its process is asked, or, where there is none, it just ends."""

from contextlib import closing
from typing import Literal

from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.recorder import Recorder
from treadle.adapters.stores.requests import Requests
from treadle.domain.deliverable import Tally
from treadle.domain.errors import UsageError
from treadle.domain.events.run import InterruptRequested, RunEnded
from treadle.domain.ids import short
from treadle.domain.run import RunResult
from treadle.domain.run_row import RunRow
from treadle.settings.environment import Environment
from treadle.settings.person import login_name
from treadle.wiring.clock import SystemClock
from treadle.wiring.holding import hold_orphan
from treadle.wiring.legs import engine_location, run_of
from treadle.workflows.deliver.recollection import recollect


def cancel(row: RunRow, environment: Environment) -> Literal["asked", "ended"]:
    """Ask the process that works on the run, or end the run if nobody does."""
    if row.state in ("succeeded", "ended"):
        raise UsageError(f"run {short(row.id)} has ended already", hint="nothing is left to cancel")
    with hold_orphan(environment.root, row.id) as orphan:
        if orphan:
            _end(row, environment)
            return "ended"
    with closing(open_database(environment.storage)) as database:
        Requests(database).ask_of(row.id, "cancel", by=login_name(), at=SystemClock().now())
    return "asked"


def _end(row: RunRow, environment: Environment) -> None:
    from treadle.durable.looking import unfinished
    from treadle.durable.ordering import cancel as forget

    location = engine_location(environment.storage)
    for seen in unfinished(location):
        if run_of(seen.workflow_id) == row.id:
            forget(location, seen.workflow_id)
    with closing(open_store(environment.storage)) as store:
        known = recollect(store.read(row.id))
        result = RunResult(
            reason="cancelled",
            rounds=row.rounds,
            tally=Tally(row.passed, row.blocked, row.total),
            cost_usd=row.cost_usd,
            usage=known.usage,
            duration_s=known.running_s,
            message="cancelled while no process worked on it",
        )
        recorder = Recorder(store, row.id, SystemClock(), ())
        recorder.record(InterruptRequested("cancel"))
        recorder.record(RunEnded(result))
