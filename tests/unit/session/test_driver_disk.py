"""A session ends when the disk is nearly full, and does not start on one that is."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.unit.session.driver_harness import FINE, FOREVER, make_driver_harness, said
from treadle.domain.session import Completed, ExecutionError

FULL = "only 1 MB are free on the disk of /clone"


@dataclass
class DiskThatFills:
    """Nearly full from the start, or once somebody says so."""

    low: str = ""
    filled: asyncio.Event = field(default_factory=asyncio.Event)
    watched: list[Sequence[Path]] = field(default_factory=list)

    def low_now(self, folders: Sequence[Path]) -> str:
        return self.low

    async def wait(self, folders: Sequence[Path]) -> str:
        self.watched.append(folders)
        await self.filled.wait()
        return FULL


async def test_no_session_starts_on_a_full_disk() -> None:
    harness = make_driver_harness(*said("hello"), FINE)
    harness.disk = DiskThatFills(low=FULL)

    result = await harness.run()

    assert result.outcome == ExecutionError(FULL, "fatal")
    assert harness.agent.briefs == []


async def test_a_silent_session_ends_when_the_disk_is_full() -> None:
    harness = make_driver_harness(FOREVER)
    disk = harness.disk = DiskThatFills()
    disk.filled.set()

    result = await harness.run()

    assert result.outcome == ExecutionError(FULL, "fatal")
    assert harness.agent.closed == 1
    assert disk.watched == [(Path("/clone"), Path("/home"))]


async def test_a_session_that_keeps_talking_ends_as_well() -> None:
    harness = make_driver_harness(*said("on and on") * 1000, FINE)
    disk = harness.disk = DiskThatFills()
    disk.filled.set()

    result = await harness.run()

    assert result.outcome == ExecutionError(FULL, "fatal")
    assert len(harness.recorded) < 1000


async def test_a_session_with_room_ends_as_it_does() -> None:
    harness = make_driver_harness(*said("hello"), FINE)
    harness.disk = DiskThatFills()

    assert (await harness.run()).outcome == Completed("all is well")
