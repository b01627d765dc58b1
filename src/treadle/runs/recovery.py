"""Finds runs that lost their process, and ends processes that they left."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from treadle.adapters.processes.marked_processes import end_lost
from treadle.adapters.stores.run_list import find_run, host_of, list_runs
from treadle.domain.errors import ProjectError, UsageError
from treadle.domain.events.agent import ProcessEnded
from treadle.domain.events.session import SessionStarted
from treadle.domain.ids import RunId
from treadle.domain.ports import Store
from treadle.domain.run_row import RunFilter
from treadle.runs.engine_names import engine_location, leg_name, run_of, worker_queue
from treadle.runs.locks import is_alive, lock_orphan
from treadle.runs.request_json import read_request
from treadle.runs.worker_queue import put_on_queue
from treadle.settings.environment import Environment

EVERY_RUN = 1_000_000


async def recover_lost_runs(environment: Environment, login: str) -> list[RunId]:
    """Put runs without a live process back on the queue of their login; the runs that were put
    back. Runs of other logins are left to other workers."""
    return await asyncio.to_thread(_recover, environment, login)


async def is_idle(environment: Environment, executor: str, login: str) -> bool:
    """Whether the queue is empty and this worker executes nothing."""
    return await asyncio.to_thread(_is_idle, environment, executor, worker_queue(login))


def is_set_aside(environment: Environment, run: RunId) -> bool:
    """Whether no worker continues the run until a person acts."""
    from treadle.durable.queries import unfinished_workflows

    location = engine_location(environment.storage)
    return any(
        workflow.is_parked and run_of(workflow.workflow_id) == run
        for workflow in unfinished_workflows(location)
    )


def _recover(environment: Environment, login: str) -> list[RunId]:
    return [*_take_over(environment, login), *_requeue(environment, login)]


def _take_over(environment: Environment, login: str) -> list[RunId]:
    """Legs whose executor is not alive."""
    from treadle.durable.queries import move_to_queue, unfinished_workflows

    root, location = environment.root, engine_location(environment.storage)
    queue, recovered = worker_queue(login), []
    for workflow in unfinished_workflows(location):
        if workflow.is_parked or (workflow.is_waiting and _is_served_queue(workflow.queue, queue)):
            continue
        if workflow.executor and is_alive(root, workflow.executor):
            continue
        run = run_of(workflow.workflow_id)
        if not _is_of_this_machine(environment, run) or not _has_login(root, run, login):
            continue
        with lock_orphan(root, run) as orphan:
            if orphan and move_to_queue(location, workflow, queue=queue):
                recovered.append(run)
    return recovered


def _requeue(environment: Environment, login: str) -> list[RunId]:
    """Queued runs that are not on the queue, because their process was killed before that."""
    from treadle.durable.queries import find_workflow

    location = engine_location(environment.storage)
    requeued = []
    for row in list_runs(environment.storage, RunFilter(states=("queued",), limit=EVERY_RUN)):
        try:
            request = read_request(environment.root, row.id)
        except ProjectError:
            continue  # a run of another machine, or without a readable request
        if find_workflow(location, leg_name(row.id, request.leg)) is not None:
            continue
        if request.login not in ("", login):
            continue
        with lock_orphan(environment.root, row.id) as orphan:
            # It may have started meanwhile; a leg that is on the queue stays as it is.
            if orphan and find_run(environment.storage, row.id).state == "queued":
                put_on_queue(replace(request, login=login), environment)
                requeued.append(row.id)
    return requeued


def _is_served_queue(queue: str, own: str) -> bool:
    """Whether the workers of a login serve it; runs of earlier versions wait where nobody does."""
    return queue == own or queue.startswith(worker_queue("") + ".")


def _has_login(root: Path, run: RunId, login: str) -> bool:
    """Requests of earlier versions name no login."""
    try:
        return read_request(root, run).login in ("", login)
    except ProjectError:
        return True  # the worker that takes the run says what is wrong


def _is_of_this_machine(environment: Environment, run: RunId) -> bool:
    """Several machines may share a server, but locks show only the processes of this one."""
    storage = environment.storage
    if not storage.database_url:
        return True
    try:
        return find_run(storage, run).host in ("", host_of(storage.root))
    except UsageError:
        return False  # its log is in another database


def _is_idle(environment: Environment, executor: str, queue: str) -> bool:
    from treadle.durable.queries import unfinished_workflows

    # A run that is set aside keeps the name of its last executor.
    return not any(
        not workflow.is_parked
        and (workflow.executor == executor or (workflow.is_waiting and workflow.queue == queue))
        for workflow in unfinished_workflows(engine_location(environment.storage))
    )


MAX_LOST_RUNS = 50


async def end_leftovers(
    own: Iterable[str],
    store: Store,
    environment: Environment,
    record: Callable[[ProcessEnded], None],
) -> None:
    """End the processes of the caller's own earlier sessions and commands, and those of all lost
    runs."""
    with ExitStack() as locks:
        lost: list[str] = []
        for row in list_runs(environment.storage, RunFilter(states=("lost",), limit=MAX_LOST_RUNS)):
            # Held to the end, because a resumed session has the same mark.
            if locks.enter_context(lock_orphan(environment.root, row.id)):
                lost += [row.id, *sessions_of(store, row.id)]
        for process in await end_lost((*own, *lost)):
            record(ProcessEnded(process.pid, process.command))


def sessions_of(store: Store, run: RunId) -> list[str]:
    """The ids of all sessions of a run."""
    started = (recorded.event for recorded in store.read(run, types=("session.started",)))
    return [event.session for event in started if isinstance(event, SessionStarted)]
