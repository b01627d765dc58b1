"""Opening the engine in this process, which can have one at a time, and closing it again."""

import asyncio
import threading
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress

import sqlalchemy as sa
from dbos import DBOS
from sqlalchemy.exc import SQLAlchemyError

from treadle.domain.ports import Clock
from treadle.durable.database import connected, telling_what_fails
from treadle.durable.hush import hush
from treadle.durable.json_text import JsonText
from treadle.durable.names import APPLICATION, VERSION
from treadle.durable.ordering import client_of
from treadle.durable.port import SHARED, Story
from treadle.durable.rows import Rows
from treadle.durable.schema import bring_up_to_date
from treadle.durable.telling import Engine, Place

# Stories told at once. What a machine can bear is limited where it is used: a story that waits
# costs next to nothing.
CONCURRENCY = 200
# How long until something that was put on a queue is begun. Half of it costs twice the idle time.
POLL_S = 0.5
_THREADS = 32

# The library keeps one engine per process, and mixes two up without a word.
_only_one = threading.Lock()


@asynccontextmanager
async def open_engine(
    location: str,
    *,
    executor: str,
    queue: str,
    stories: Mapping[str, Story],
    clock: Clock | None = None,
    poll_s: float = POLL_S,
) -> AsyncIterator[Engine]:
    """Tell stories here. Whatever `executor` had begun and `queue` holds goes on at once.

    Nobody else may be alive under the same `executor`: hold a lock for it.
    """
    if not _only_one.acquire(blocking=False):
        raise RuntimeError("an engine is open in this process already")
    try:
        bring_up_to_date(location)
        with connected(location) as pool:
            rows, place = Rows(pool), Place(location, executor, queue)
            async with _configured(place, pool, rows):
                engine = Engine(place, rows, stories)
                with telling_what_fails(location):
                    await _serve(place, pool, rows, poll_s)
                async with _watched(engine):
                    yield engine
    finally:
        _only_one.release()


@asynccontextmanager
async def _configured(place: Place, pool: sa.Engine, rows: Rows) -> AsyncIterator[None]:
    hush()
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
async def _watched(engine: Engine) -> AsyncIterator[None]:
    watch = asyncio.create_task(engine.watch())
    try:
        yield
    finally:
        watch.cancel()
        await engine.close()


def _configure(place: Place, pool: sa.Engine) -> DBOS:
    library = DBOS(
        config={
            "name": APPLICATION,
            "system_database_url": place.location,
            "system_database_engine": pool,
            "application_version": VERSION,
            "enable_patching": True,
            "executor_id": place.executor,
            "serializer": JsonText(),
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


async def _serve(place: Place, pool: sa.Engine, rows: Rows, poll_s: float) -> None:
    await client_of(pool).register_queue_async(
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


async def _unregister(place: Place, pool: sa.Engine) -> None:
    if place.queue != SHARED:
        await client_of(pool).delete_queue_async(place.queue)
