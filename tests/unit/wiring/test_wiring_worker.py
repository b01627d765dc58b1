"""A worker outlives a store that fails for a while."""

import asyncio
from pathlib import Path

from treadle.domain.errors import StoreError
from treadle.settings.environment import Environment, environment_from
from treadle.wiring.worker import Shift, _serve


async def test_a_look_that_fails_is_said_and_ends_nothing(tmp_path: Path) -> None:
    said: list[str] = []
    stop = asyncio.Event()

    def say(text: str) -> None:
        said.append(text)
        stop.set()

    async def look(environment: Environment, shift: Shift) -> bool:
        raise StoreError("cannot write engine.db: database is locked")

    environment = environment_from({"HOME": str(tmp_path)})
    await _serve(environment, Shift(1, until_idle=True, say=say), stop, look)

    assert said == ["cannot look for work: cannot write engine.db: database is locked"]
