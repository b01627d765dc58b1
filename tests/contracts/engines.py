"""Every engine there is, each on a store that outlives it, and small workflows for them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

import pytest

from tests.postgres import PostgresServer
from treadle.durable.memory import MemoryEngine, MemoryWorkflows
from treadle.durable.migrations import bring_up_to_date
from treadle.durable.open import open_engine
from treadle.durable.port import Json, Steps, WorkflowFn, WorkflowRunner

Kind = Literal["memory", "sqlite", "postgres"]


class EngineStarter(Protocol):
    """Starts an engine on the store of this test, as a new process would."""

    def __call__(self, **workflows: WorkflowFn) -> AbstractAsyncContextManager[WorkflowRunner]: ...


def engine_starter(kind: Kind, request: pytest.FixtureRequest, tmp_path: Path) -> EngineStarter:
    if kind == "memory":
        return in_memory({})
    return on_database(location_of(kind, request, tmp_path))


def location_of(kind: Kind, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if kind == "sqlite":
        return f"sqlite:///{tmp_path / 'engine.db'}"
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return server.new_database(prepared(server))


def prepared(server: PostgresServer) -> str:
    """A database to copy: making the tables anew takes longer than most tests."""
    name = "with_tables"
    if name not in server.run("psql", "-Atc", "select datname from pg_database", "postgres"):
        server.run("createdb", name)
        bring_up_to_date(server.url(name))
    return name


def in_memory(history: MemoryWorkflows) -> EngineStarter:
    @asynccontextmanager
    async def start(**workflows: WorkflowFn) -> AsyncIterator[WorkflowRunner]:
        yield MemoryEngine(workflows, history)

    return start


def on_database(location: str, executor: str = "run-1", queue: str = "run.1") -> EngineStarter:
    @asynccontextmanager
    async def start(**workflows: WorkflowFn) -> AsyncIterator[WorkflowRunner]:
        async with open_engine(
            location,
            executor=executor,
            queue=queue,
            workflows=workflows,
            poll_s=0.05,
        ) as engine:
            yield engine

    return start


@dataclass
class RecordedActs:
    """What really happened, in order, over all attempts. Names in `broken` fail when acted."""

    done: list[str] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    # RecordedActs that wait here until they are let go on, and tell that they have begun.
    held: dict[str, asyncio.Event] = field(default_factory=dict)
    reached: asyncio.Event = field(default_factory=asyncio.Event)

    def act(self, name: str) -> Callable[[], Awaitable[str]]:
        async def acted() -> str:
            self.done.append(name)
            if name in self.held:
                self.reached.set()
                await self.held[name].wait()
            if name in self.broken:
                raise BrokenAct(name)
            return name.upper()

        return acted

    def workflow(self, *names: str) -> WorkflowFn:
        async def run(steps: Steps, argument: Json) -> Json:
            results: list[Json] = [argument]
            for name in names:
                results.append(await steps.step(name, self.act(name), returns=str))
            return results

        return run


class BrokenAct(Exception):
    """What an act that is broken raises."""
