"""Opens the engine in this process, which can have one at a time, and closes it."""

import asyncio
import threading
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress

import sqlalchemy as sa
from dbos import DBOS
from sqlalchemy.exc import SQLAlchemyError

from treadle.domain.ports import Clock
from treadle.durable.client import make_client, quiet_library_logs
from treadle.durable.connections import open_pool, translate_errors
from treadle.durable.engine import EngineConfig, WorkflowEngine
from treadle.durable.json_serializer import JsonSerializer
from treadle.durable.migrations import bring_up_to_date
from treadle.durable.names import APPLICATION, VERSION
from treadle.durable.port import SHARED_QUEUE, WorkflowFn
from treadle.durable.workflow_tables import WorkflowTables

# Stories told at once. What a machine can bear is limited where it is used: a story that waits
# costs next to nothing.
CONCURRENCY = 200
# How long until something that was put on a queue is begun. Half of it costs twice the idle time.
POLL_S = 0.5
_THREADS = 32

# The library keeps one engine per process, and mixes two up without a word.
_one_per_process = threading.Lock()


@asynccontextmanager
async def open_engine(
    location: str,
    *,
    executor: str,
    queue: str,
    workflows: Mapping[str, WorkflowFn],
    clock: Clock | None = None,
    poll_s: float = POLL_S,
) -> AsyncIterator[WorkflowEngine]:
    """Tell stories here. Whatever `executor` had begun and `queue` holds goes on at once.

    Nobody else may be alive under the same `executor`: hold a lock for it.
    """
    if not _one_per_process.acquire(blocking=False):
        raise RuntimeError("an engine is open in this process already")
    try:
        bring_up_to_date(location)
        with open_pool(location) as pool:
            rows, place = WorkflowTables(pool), EngineConfig(location, executor, queue)
            async with _open_library(place, pool, rows):
                engine = WorkflowEngine(place, rows, workflows)
                with translate_errors(location):
                    await _serve(place, pool, rows, poll_s)
                async with _run_watch(engine):
                    yield engine
    finally:
        _one_per_process.release()


@asynccontextmanager
async def _open_library(
    place: EngineConfig, pool: sa.Engine, rows: WorkflowTables
) -> AsyncIterator[None]:
    quiet_library_logs()
    library = _configure(place, pool)
    try:
        yield
    finally:
        await _shut_down(library)
        # What cannot be handed back now is taken up at the next start, as after a crash.
        with suppress(SQLAlchemyError):
            await asyncio.to_thread(rows.hand_back, place.executor, place.queue)
            await _unregister(place, pool)


@asynccontextmanager
async def _run_watch(engine: WorkflowEngine) -> AsyncIterator[None]:
    watch = asyncio.create_task(engine.watch())
    try:
        yield
    finally:
        watch.cancel()
        await engine.close()


def _configure(place: EngineConfig, pool: sa.Engine) -> DBOS:
    library = DBOS(
        config={
            "name": APPLICATION,
            "system_database_url": place.location,
            "system_database_engine": pool,
            "application_version": VERSION,
            "enable_patching": True,
            "executor_id": place.executor,
            "serializer": JsonSerializer(),
            "run_migrations": False,
            "log_level": "CRITICAL",
            "enable_otlp": False,
            "max_executor_threads": _THREADS,
            # Costs nothing while nobody waits for a message, and bounds how long closing takes.
            "notification_listener_polling_interval_sec": 0.25,
        }
    )
    DBOS.listen_queues([place.queue])
    return library


async def _serve(place: EngineConfig, pool: sa.Engine, rows: WorkflowTables, poll_s: float) -> None:
    await make_client(pool).register_queue_async(
        place.queue, worker_concurrency=CONCURRENCY, polling_interval_sec=poll_s
    )
    # Before the launch: it would put our own leftovers on a queue that every executor serves.
    rows.hand_back(place.executor, place.queue)
    # On this very loop, so that the stories run here and not in a thread of the library.
    DBOS.launch()


async def _shut_down(library: DBOS) -> None:
    if library._sys_db_field is not None:
        # Its threads wait for a server that is away for ever, and the process would wait for them.
        library._sys_db_field._retry_connection_errors = False
    loop = asyncio.get_running_loop()
    # The library made its own threads the loop's, and is about to end them.
    loop.set_default_executor(ThreadPoolExecutor())
    await asyncio.to_thread(DBOS.destroy, destroy_registry=True)


async def _unregister(place: EngineConfig, pool: sa.Engine) -> None:
    # Other workers may serve the same queue.
    if not place.queue.startswith(SHARED_QUEUE):
        await make_client(pool).delete_queue_async(place.queue)
