"""Leases on a real server: who lets his run out loses his work, once, and is told."""

import asyncio
from datetime import timedelta

import pytest
import sqlalchemy as sa

from tests.builders import FakeClock
from tests.contracts.tellers import Acts, location_of, on_database
from tests.postgres import PostgresServer
from treadle.adapters.clock import SystemClock
from treadle.domain.errors import StoreError
from treadle.durable.connections import open_pool
from treadle.durable.lease import held_lease, take_over
from treadle.durable.port import OwnedElsewhere
from treadle.durable.queries import unfinished_workflows
from treadle.durable.stored_workflow import StoredWorkflow, WorkflowStatus

pytestmark = pytest.mark.xdist_group("postgres")


@pytest.fixture
def location(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    return location_of("postgres", request, tmp_path_factory.getbasetemp())


def never() -> None:
    raise AssertionError("the lease is not lost")


def let_run_out(location: str, executor: str) -> None:
    with open_pool(location) as pool, pool.begin() as connection:
        ago = {"executor": executor, "ago": timedelta(seconds=1)}
        past = "UPDATE treadle_leases SET runs_out = now() - :ago WHERE executor = :executor"
        assert connection.execute(sa.text(past), ago).rowcount == 1


async def test_nothing_is_taken_from_who_holds_a_lease(location: str) -> None:
    acts = Acts(held={"one": asyncio.Event()})
    async with (
        held_lease(location, "run-1", clock=SystemClock(), on_lost=never),
        on_database(location)(plain=acts.story("one")) as teller,
    ):
        telling = asyncio.create_task(teller.run("w", "plain", "x"))
        await acts.reached.wait()
        assert take_over(location, queue="shared") == []
        acts.held["one"].set()
        assert await telling == ["x", "ONE"]


async def test_the_work_of_who_has_no_lease_is_taken_over_once(location: str) -> None:
    acts = Acts(held={"one": asyncio.Event()})
    async with on_database(location)(plain=acts.story("one")) as teller:
        telling = asyncio.create_task(teller.run("w", "plain", "x"))
        await acts.reached.wait()
        assert take_over(location, queue="shared") == ["w"]
        assert take_over(location, queue="shared") == []
        with pytest.raises(OwnedElsewhere):
            await telling

    assert unfinished_workflows(location) == [
        StoredWorkflow("w", WorkflowStatus.WAITING, "run-1", "shared")
    ]


async def test_a_lease_that_has_run_out_is_not_renewed_but_lost(location: str) -> None:
    lost, clock = asyncio.Event(), FakeClock()
    async with held_lease(location, "run-1", clock=clock, on_lost=lost.set):
        let_run_out(location, "run-1")
        await lost.wait()


async def test_a_lease_is_renewed_for_as_long_as_it_is_held(location: str) -> None:
    enough, clock = asyncio.Event(), FakeClock()
    clock.on_sleep = lambda: enough.set() if len(clock.slept) == 20 else None
    async with held_lease(location, "run-1", clock=clock, on_lost=never, seconds=30):
        await enough.wait()

    assert clock.slept[:20] == [10.0] * 20


async def test_who_cannot_reach_the_server_in_time_counts_his_lease_as_lost(
    location: str, request: pytest.FixtureRequest
) -> None:
    server: PostgresServer = request.getfixturevalue("postgres_server")
    lost, clock = asyncio.Event(), FakeClock()
    async with held_lease(location, "run-1", clock=clock, on_lost=lost.set, seconds=30):
        server.control("-m", "immediate", "stop")
        try:
            await lost.wait()
        finally:
            server.start()


async def test_a_lease_that_was_given_up_protects_nothing(location: str) -> None:
    async with held_lease(location, "run-1", clock=SystemClock(), on_lost=never):
        pass
    with open_pool(location) as pool, pool.begin() as connection:
        assert connection.execute(sa.text("SELECT * FROM treadle_leases")).all() == []


async def test_a_server_that_is_not_there_is_told_in_words() -> None:
    with pytest.raises(StoreError, match=r"cannot use postgresql://127\.0\.0\.1:1/x"):
        take_over("postgresql://127.0.0.1:1/x", queue="shared")
