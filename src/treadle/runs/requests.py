"""What other terminals ask of a run: the process that works on it looks every second."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from treadle.adapters.stores.control_requests import ControlRequests
from treadle.domain.errors import StoreError
from treadle.runs.active_run import ActiveRun
from treadle.runs.heartbeat import beat

POLL_S = 1.0


@asynccontextmanager
async def watch_requests(telling: ActiveRun) -> AsyncIterator[None]:
    """Within the block, a request to cancel the run interrupts it."""
    looking = asyncio.create_task(_look(telling))
    try:
        yield
    finally:
        looking.cancel()
        with suppress(asyncio.CancelledError):
            await looking


async def _look(telling: ActiveRun) -> None:
    run = telling.ready.request.run
    requests, directory = ControlRequests(telling.database), telling.ready.directory
    while True:
        with suppress(OSError):  # a full disk is said by whoever has something to store
            beat(directory)
        # A store that is full says so to whoever has something to store.
        with suppress(StoreError):
            asked = requests.find_oldest(run)
            if asked is not None and asked.kind == "cancel":
                telling.interrupt("cancel")
                return
        await asyncio.sleep(POLL_S)
