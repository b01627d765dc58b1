"""A workflow waits for a database server that goes away, and no step acts twice."""

import asyncio

import pytest

from tests.contracts.engines import RecordedActs, location_of, on_database
from tests.postgres import ON_POSTGRES, PostgresServer

pytestmark = [*ON_POSTGRES]


async def test_a_workflow_waits_for_its_server_and_continues(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> None:
    location = location_of("postgres", request, tmp_path_factory.getbasetemp())
    server: PostgresServer = request.getfixturevalue("postgres_server")
    acts = RecordedActs(held={"two": asyncio.Event()})
    async with on_database(location)(plain=acts.workflow("one", "two", "three")) as engine:
        running = asyncio.create_task(engine.run("w", "plain", "x"))
        await acts.reached.wait()
        server.control("-m", "fast", "stop")
        try:
            # The step ends while there is nowhere to store its result.
            acts.held["two"].set()
            done, _ = await asyncio.wait([running], timeout=1)
        finally:
            server.start()
        assert done == set()
        assert await running == ["x", "ONE", "TWO", "THREE"]

    assert acts.done == ["one", "two", "three"]
