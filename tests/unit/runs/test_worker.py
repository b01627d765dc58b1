"""A worker outlives a store that fails for a while."""

import asyncio
from pathlib import Path

from treadle.domain.errors import StoreError
from treadle.runs.worker import WorkerOptions, _serve
from treadle.settings.environment import Environment, parse_environment


async def test_a_look_that_fails_is_said_and_ends_nothing(tmp_path: Path) -> None:
    said: list[str] = []
    stop = asyncio.Event()

    def say(text: str) -> None:
        said.append(text)
        stop.set()

    async def look(environment: Environment, shift: WorkerOptions) -> bool:
        raise StoreError("cannot write engine.db: database is locked")

    environment = parse_environment({"HOME": str(tmp_path)})
    await _serve(environment, WorkerOptions(1, until_idle=True, report=say), stop, look)

    assert said == ["cannot look for work: cannot write engine.db: database is locked"]
