"""Finds runs that lost their process, and ends what their agents left running."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import ExitStack

from treadle.adapters.processes.marked_processes import end_lost
from treadle.adapters.stores.run_list import find_run, host_of, list_runs
from treadle.domain.errors import ProjectError, UsageError
from treadle.domain.events.agent import ProcessEnded
from treadle.domain.events.session import SessionStarted
from treadle.domain.ids import RunId
from treadle.domain.ports import Store
from treadle.domain.run_row import RunFilter
from treadle.durable.port import SHARED_QUEUE
from treadle.runs.engine_names import engine_location, leg_name, run_of
from treadle.runs.locks import is_alive, lock_orphan
from treadle.runs.queue import put_on_queue
from treadle.runs.request_json import read_request
from treadle.settings.environment import Environment

EVERY_RUN = 1_000_000


async def recover_lost_runs(environment: Environment) -> list[RunId]:
    """Take over what claims to be worked on and is not; the runs that were taken."""
    return await asyncio.to_thread(_sweep, environment)


async def idle(environment: Environment, executor: str) -> bool:
    """Whether nothing waits for a worker and this one has nothing in hand."""
    return await asyncio.to_thread(_idle, environment, executor)


def is_set_aside(environment: Environment, run: RunId) -> bool:
    """Whether no worker goes on with the run until a person has acted."""
    from treadle.durable.queries import unfinished_workflows

    location = engine_location(environment.storage)
    return any(
        seen.is_parked and run_of(seen.workflow_id) == run
        for seen in unfinished_workflows(location)
    )


def _sweep(environment: Environment) -> list[RunId]:
    return [*_take_over(environment), *_put_back(environment)]


def _take_over(environment: Environment) -> list[RunId]:
    """Legs that somebody claims to tell."""
    from treadle.durable.queries import move_to_queue, unfinished_workflows

    root, location = environment.root, engine_location(environment.storage)
    taken = []
    for seen in unfinished_workflows(location):
        if (seen.is_waiting and seen.queue == SHARED_QUEUE) or seen.is_parked:
            continue
        if seen.executor and is_alive(root, seen.executor):
            continue
        run = run_of(seen.workflow_id)
        if not _is_of_this_machine(environment, run):
            continue
        with lock_orphan(root, run) as orphan:
            if orphan and move_to_queue(location, seen, queue=SHARED_QUEUE):
                taken.append(run)
    return taken


def _put_back(environment: Environment) -> list[RunId]:
    """Queued runs that nobody put on the queue: whoever wanted to was killed before."""
    from treadle.durable.queries import find_workflow

    location = engine_location(environment.storage)
    put = []
    for row in list_runs(environment.storage, RunFilter(states=("queued",), limit=EVERY_RUN)):
        try:
            request = read_request(environment.root, row.id)
        except ProjectError:
            continue  # of another machine, or nobody knows what was asked for
        if find_workflow(location, leg_name(row.id, request.leg)) is not None:
            continue
        with lock_orphan(environment.root, row.id) as orphan:
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
    from treadle.durable.queries import unfinished_workflows

    # What was set aside keeps the name of the one that did so.
    return not any(
        not seen.is_parked
        and (seen.executor == executor or (seen.is_waiting and seen.queue == SHARED_QUEUE))
        for seen in unfinished_workflows(engine_location(environment.storage))
    )


LOOK_BACK = 50


async def end_leftovers(
    own: Iterable[str], store: Store, environment: Environment, tell: Callable[[ProcessEnded], None]
) -> None:
    """End the processes of the caller's own earlier sessions and commands, and those of all lost
    runs."""
    with ExitStack() as held:
        lost: list[str] = []
        for row in list_runs(environment.storage, RunFilter(states=("lost",), limit=LOOK_BACK)):
            # Held to the end: a session that is taken up again has the name that it had.
            if held.enter_context(lock_orphan(environment.root, row.id)):
                lost += [row.id, *sessions_of(store, row.id)]
        for process in await end_lost((*own, *lost)):
            tell(ProcessEnded(process.pid, process.command))


def sessions_of(store: Store, run: RunId) -> list[str]:
    """The names of all sessions that a run began."""
    started = (recorded.event for recorded in store.read(run, types=("session.started",)))
    return [event.session for event in started if isinstance(event, SessionStarted)]
