"""A run that stopped goes on: one that lost its process where it was, one that ended anew."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Literal

from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.recorder import Recorder
from treadle.adapters.stores.requests import Requests
from treadle.domain.errors import UsageError
from treadle.domain.events.run import RunReopened
from treadle.domain.ids import RunId, short
from treadle.domain.limits import RunLimits
from treadle.domain.run import RunResult
from treadle.domain.run_row import RunRow
from treadle.durable.port import SHARED
from treadle.settings.environment import Environment
from treadle.wiring.background import enqueue_leg, ensure_worker
from treadle.wiring.clock import SystemClock
from treadle.wiring.confining import prove_before
from treadle.wiring.foreground import in_foreground
from treadle.wiring.holding import hold_run
from treadle.wiring.legs import engine_location, leg_name, own_queue
from treadle.wiring.limits import run_limits
from treadle.wiring.rehearsing import with_model
from treadle.wiring.request_json import keep_request, kept_request
from treadle.wiring.run_request import Presence, Ready, RunRequest, check, with_variables
from treadle.workflows.deliver.recollection import Recollection, recollect


@dataclass(frozen=True, slots=True)
class Wish:
    """How a run is to go on: from where it stopped, with what was said anew."""

    row: RunRow
    by: Literal["resume", "retry"]
    flags: Mapping[str, Any]
    no_sandbox: bool


async def resume(wish: Wish, presence: Presence) -> RunResult:
    """Go on with the run in this process."""
    _refuse_live(wish)
    root, row = presence.environment.root, wish.row
    with hold_run(root, row.project_key, row.id):
        ready, known = await _ready(wish, presence)
        with with_model(ready.request, presence) as present:
            _claim(ready, queue=own_queue(row.id))
            _open(wish, ready, known)
            return await in_foreground(replace(ready, presence=present))


async def resume_detached(wish: Wish, presence: Presence) -> None:
    """Hand the run to the workers."""
    _refuse_live(wish)
    environment, row = presence.environment, wish.row
    with hold_run(environment.root, row.project_key, row.id):
        ready, known = await _ready(wish, presence)
        await prove_before(ready)
        # A worker that takes it at once waits for the lock that is held here.
        claimed = _claim(ready, queue=SHARED)
        _open(wish, ready, known)
        if not claimed:
            enqueue_leg(ready.request, environment)
    ensure_worker(environment)


async def _ready(wish: Wish, presence: Presence) -> tuple[Ready, Recollection]:
    """The run as it is asked for now, and what its log says. The caller holds its lock, so nobody
    else works on it."""
    environment, run = presence.environment, wish.row.id
    with closing(open_store(environment.storage)) as store:
        known = recollect(store.read(run))
        if presence.recall is not None:
            for recorded in store.outline(run):
                presence.recall(recorded)
    request = _asked_anew(kept_request(environment.root, run), wish, known)
    request = with_variables(request, environment)
    ready = await check(request, presence)
    _require_room(wish, known, run_limits(ready.settings))
    keep_request(environment.root, request)
    return ready, known


def _open(wish: Wish, ready: Ready, known: Recollection) -> None:
    """The log says that the run goes on; whoever wants that does not want it cancelled."""
    storage, request = ready.environment.storage, ready.request
    if known.ended is None:
        with closing(open_database(storage)) as database:
            Requests(database).clear(request.run)
        return
    _abandon(ready.environment, request.run, known.leg)
    reopened = RunReopened(wish.by, run_limits(ready.settings), ready.confinement)
    with closing(open_store(storage)) as store:
        recorder = Recorder(store, request.run, SystemClock(), ready.presence.readers)
        recorder.record_once(f"reopened {request.leg}", reopened)


def _asked_anew(request: RunRequest, wish: Wish, known: Recollection) -> RunRequest:
    said = {name: value for name, value in wish.flags.items() if value is not None}
    request = replace(
        request,
        flags={**request.flags, **said},
        no_sandbox=request.no_sandbox or wish.no_sandbox,
    )
    if known.ended is None:
        return replace(request, leg=known.leg)
    return replace(request, leg=known.leg + 1, so_far=known.ended)


def _require_room(wish: Wish, known: Recollection, limits: RunLimits) -> None:
    """A run at one of its limits can go on only where that was raised."""
    result, run = known.ended, short(wish.row.id)
    if result is None:
        return
    if result.succeeded:
        raise UsageError(
            f"run {run} is done", hint=f"see what it brought with `treadle diff {run}`"
        )
    if result.reason == "spec_issue":
        # The clone has the specifications as they were, so that nothing would be another.
        raise UsageError(
            f"run {run} found an issue with the specifications",
            hint=f"settle it there, bring the work in with `treadle land {run}` or drop its "
            "branch, and start a new run",
        )
    reached = {
        "budget_exceeded": (result.cost_usd >= limits.max_cost_usd, "--max-cost USD"),
        "time_exceeded": (result.duration_s >= limits.max_minutes * 60, "--max-minutes N"),
        "max_iterations": (result.rounds >= limits.max_iterations, "--max-iterations N"),
    }
    still, option = reached.get(result.reason, (False, ""))
    if still:
        raise UsageError(
            f"run {run} has used all that it may: {result.message}",
            hint=f"allow it more: treadle {wish.by} {run} {option}",
        )


def _refuse_live(wish: Wish) -> None:
    if wish.row.alive:
        run = short(wish.row.id)
        raise UsageError(f"run {run} is at work", hint=f"watch it with `treadle attach {run}`")


def _claim(ready: Ready, *, queue: str) -> bool:
    """Take the run's leg from an executor that is gone, or from where it was given up; the run's
    lock says that nobody works on it. A person asks for it, so its crashes are counted anew.

    False if there is nothing to take: the leg was not begun, or it is over.
    """
    from treadle.durable.database import connected, telling_what_fails
    from treadle.durable.looking import standing_of
    from treadle.durable.rows import Rows
    from treadle.durable.standing import Status

    request = ready.request
    location = engine_location(ready.environment.storage)
    seen = standing_of(location, leg_name(request.run, request.leg))
    if seen is None or seen.status is Status.FINISHED:
        return False
    with connected(location) as pool, telling_what_fails(location):
        return Rows(pool).move(seen, queue, attempts=0)


def _abandon(environment: Environment, run: RunId, leg: int) -> None:
    """A leg that ended in the log may still be open at the engine: its process was killed."""
    from treadle.durable.looking import standing_of

    location = engine_location(environment.storage)
    seen = standing_of(location, leg_name(run, leg))
    if seen is not None and seen.is_unfinished:
        from treadle.durable.ordering import cancel

        cancel(location, seen.workflow_id)
