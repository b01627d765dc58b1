"""Loads what only a run at work needs, in a thread of its own, while git and the disk are asked."""

import asyncio
import gc
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module

from treadle.domain.storage import Storage
from treadle.durable.deferred import deferred
from treadle.wiring.agent import load_agent_modules

ENGINE = "treadle.durable.open"
# How long whoever waits for the disk or for git is held up by the loading once it goes on.
HELD_UP_S = 0.0003


@dataclass(frozen=True, slots=True)
class Pace:
    """How this process goes about its threads and its garbage."""

    collects: bool = field(default_factory=gc.isenabled)
    switch_s: float = field(default_factory=sys.getswitchinterval)


class Loading:
    """Most of the time from a command to its first session passes here.

    The engine comes first, because a run begins with it. A session that begins before its own
    modules are there waits for them by importing them.
    """

    def __init__(self, load_engine: Callable[[], None]) -> None:
        pace = Pace()
        sys.setswitchinterval(HELD_UP_S)
        # All of it stays: to search it for garbage while it grows is time lost.
        gc.disable()
        thread = ThreadPoolExecutor(1, thread_name_prefix="loading")
        self._engine = thread.submit(load_engine)
        self._agent = thread.submit(load_agent_modules)
        self._agent.add_done_callback(lambda _: _back_to(pace))
        thread.shutdown(wait=False)

    async def engine(self) -> None:
        """Until the engine can be opened."""
        await asyncio.shield(asyncio.wrap_future(self._engine))

    def give_up(self) -> None:
        """No run comes of it: what is not being loaded yet is left out."""
        self._agent.cancel()


def start_loading(storage: Storage) -> Loading:
    """There is one for the process, as there is of each module."""
    return _started(_load_engine if storage.database_url else _load_engine_for_files)


@cache
def _started(load_engine: Callable[[], None]) -> Loading:
    return Loading(load_engine)


def _load_engine() -> None:
    # Schedules are for those who give the engine some. To be able to read one starts a program.
    with deferred("croniter", "croniter"):
        import_module(ENGINE)


def _load_engine_for_files() -> None:
    # The driver for PostgreSQL would take 8 MB and a tenth of the time. Nobody else in this process
    # has a use for it: who meets the one that stands in for it cannot load its parts.
    with deferred("psycopg", "errors"):
        _load_engine()


def _back_to(pace: Pace) -> None:
    sys.setswitchinterval(pace.switch_s)
    # Later searches pass over all that is there by now.
    gc.freeze()
    if pace.collects:
        gc.enable()
