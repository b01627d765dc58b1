"""Runs whose process is gone are handed to the workers; the lock of a run tells who is alive."""

import asyncio

from treadle.adapters.stores.runs import find_run, host_of, list_runs
from treadle.domain.errors import ProjectError, UsageError
from treadle.domain.ids import RunId
from treadle.domain.run_row import RunFilter
from treadle.durable.port import SHARED
from treadle.settings.environment import Environment
from treadle.wiring.background import put_on_queue
from treadle.wiring.holding import hold_orphan, is_alive
from treadle.wiring.legs import engine_location, leg_name, run_of
from treadle.wiring.request_json import kept_request

EVERY_RUN = 1_000_000


async def sweep(environment: Environment) -> list[RunId]:
    """Take over what claims to be worked on and is not; the runs that were taken."""
    return await asyncio.to_thread(_sweep, environment)


async def idle(environment: Environment, executor: str) -> bool:
    """Whether nothing waits for a worker and this one has nothing in hand."""
    return await asyncio.to_thread(_idle, environment, executor)


def is_set_aside(environment: Environment, run: RunId) -> bool:
    """Whether no worker goes on with the run until a person has acted."""
    from treadle.durable.looking import unfinished

    location = engine_location(environment.storage)
    return any(seen.is_parked and run_of(seen.workflow_id) == run for seen in unfinished(location))


def _sweep(environment: Environment) -> list[RunId]:
    return [*_take_over(environment), *_put_back(environment)]


def _take_over(environment: Environment) -> list[RunId]:
    """Legs that somebody claims to tell."""
    from treadle.durable.looking import move, unfinished

    root, location = environment.root, engine_location(environment.storage)
    taken = []
    for seen in unfinished(location):
        if (seen.is_waiting and seen.queue == SHARED) or seen.is_parked:
            continue
        if seen.executor and is_alive(root, seen.executor):
            continue
        run = run_of(seen.workflow_id)
        if not _is_of_this_machine(environment, run):
            continue
        with hold_orphan(root, run) as orphan:
            if orphan and move(location, seen, queue=SHARED):
                taken.append(run)
    return taken


def _put_back(environment: Environment) -> list[RunId]:
    """Queued runs that nobody put on the queue: whoever wanted to was killed before."""
    from treadle.durable.looking import standing_of

    location = engine_location(environment.storage)
    put = []
    for row in list_runs(environment.storage, RunFilter(states=("queued",), limit=EVERY_RUN)):
        try:
            request = kept_request(environment.root, row.id)
        except ProjectError:
            continue  # of another machine, or nobody knows what was asked for
        if standing_of(location, leg_name(row.id, request.leg)) is not None:
            continue
        with hold_orphan(environment.root, row.id) as orphan:
            # It may have begun since it was seen; what is on the queue already stays as it is.
            if orphan and find_run(environment.storage, row.id).state == "queued":
                put_on_queue(request, environment)
                put.append(row.id)
    return put


def _is_of_this_machine(environment: Environment, run: RunId) -> bool:
    """Locks tell of the processes of one machine only, and a server may be shared by several."""
    storage = environment.storage
    if not storage.database_url:
        return True
    try:
        return find_run(storage, run).host in ("", host_of(storage.root))
    except UsageError:
        return False  # its log is on another database, so it is none of ours


def _idle(environment: Environment, executor: str) -> bool:
    from treadle.durable.looking import unfinished

    # What was set aside keeps the name of the one that did so.
    return not any(
        not seen.is_parked
        and (seen.executor == executor or (seen.is_waiting and seen.queue == SHARED))
        for seen in unfinished(engine_location(environment.storage))
    )
