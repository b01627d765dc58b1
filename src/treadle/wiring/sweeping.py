"""Runs whose process is gone are handed to the workers; the lock of a run tells who is alive."""

import asyncio

from treadle.adapters.stores.runs import find_run, host_of
from treadle.domain.errors import UsageError
from treadle.domain.ids import RunId
from treadle.durable.port import SHARED
from treadle.settings.environment import Environment
from treadle.wiring.holding import hold_orphan, is_alive
from treadle.wiring.legs import engine_location, run_of


async def sweep(environment: Environment) -> list[RunId]:
    """Take over what claims to be worked on and is not; the runs that were taken."""
    return await asyncio.to_thread(_sweep, environment)


async def idle(environment: Environment, executor: str) -> bool:
    """Whether nothing waits for a worker and this one has nothing in hand."""
    return await asyncio.to_thread(_idle, environment, executor)


def _sweep(environment: Environment) -> list[RunId]:
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

    return not any(
        seen.executor == executor or (seen.is_waiting and seen.queue == SHARED)
        for seen in unfinished(engine_location(environment.storage))
    )
