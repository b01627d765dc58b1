"""A watched backlog with real files: what is settled, and what of it the log says."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from tests.builders import NOON, RUN, RUN_LIMITS
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.queue import ItemEnded, ItemRemoved, ItemStarted, QueueEvent
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.ids import RunId
from treadle.settings.workflow_definitions import WatchSettings
from treadle.workflows.queue.definition import EndQueue, QueueParts, QueueStep, StartItem
from treadle.workflows.queue.queue_state import QueueState, read_queue
from treadle.workflows.watch.watched_backlog import WatchedBacklog


@dataclass
class WatchHarness:
    """A backlog in a folder, and the log of its queue; each item ends at once."""

    project: Path
    specs: str = "specs"
    log: list[Event] = field(default_factory=list)
    options: WatchSettings = field(default_factory=lambda: WatchSettings(debounce_s=0.0))
    # How often the checkout was read.
    readings: int = 0

    @property
    def folder(self) -> Path:
        folder = self.project / ".treadle" / "backlog"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    @property
    def state(self) -> QueueState:
        return read_queue(
            RecordedEvent(RUN, number, NOON + timedelta(seconds=number), event)
            for number, event in enumerate(self.log, start=1)
        )

    async def step(self) -> QueueStep:
        """What a process decides that knows nothing but log and files."""

        async def tree() -> str:
            self.readings += 1
            return "tree"

        async def unchanged(_: Sequence[Path]) -> None:
            return None

        def record(event: QueueEvent, once: str) -> None:
            self.log.append(event)

        parts = QueueParts(
            project=self.project,
            specs=self.specs,
            inputs={"once": "yes"},
            options=self.options,
            limits=RUN_LIMITS,
            record=record,
            changed=unchanged,
            checkout_tree=tree,
            background_today_usd=lambda: 0.0,
        )
        return await WatchedBacklog(parts).next_step(self.state, NOON)

    async def attempt(self, reason: ExitReason = "approved", message: str = "") -> str:
        """Let the next item end so; returns its name."""
        step = await self.step()
        assert isinstance(step, StartItem)
        item, run = step.item, RunId(f"run-{len(self.log)}")
        self.log.append(ItemStarted(item.name, item.version, run, item.workflow))
        self.log.append(ItemEnded(item.name, item.version, run, reason, message))
        return item.name


@pytest.fixture
def harness(tmp_path: Path) -> WatchHarness:
    return WatchHarness(tmp_path)


async def test_an_item_that_is_put_there_again_after_it_was_done_is_done_again(
    harness: WatchHarness,
) -> None:
    path = harness.folder / "weekly.md"
    path.write_text("Update the dependencies.\n")
    await harness.attempt()
    assert await harness.step() == EndQueue("queue_done", "1 of 1 runs succeeded")
    assert harness.log[-1] == ItemRemoved("weekly.md")
    assert not path.exists()

    path.write_text("Update the dependencies.\n")

    assert await harness.attempt() == "weekly.md"


@pytest.mark.parametrize(("audit", "readings"), [(False, 0), (True, 1)])
async def test_the_checkout_is_read_for_audits_alone(
    harness: WatchHarness, *, audit: bool, readings: int
) -> None:
    harness.options = WatchSettings(debounce_s=0.0, audit=audit)

    await harness.step()

    assert harness.readings == readings


async def test_a_done_item_that_somebody_else_removed_is_removed_in_the_log_too(
    harness: WatchHarness,
) -> None:
    # A person, or a process that ended before it could say so.
    path = harness.folder / "weekly.md"
    path.write_text("Update the dependencies.\n")
    await harness.attempt()
    path.unlink()
    assert isinstance(await harness.step(), EndQueue)
    assert harness.log[-1] == ItemRemoved("weekly.md")
    await harness.step()
    assert harness.log.count(ItemRemoved("weekly.md")) == 1

    path.write_text("Update the dependencies.\n")

    assert await harness.attempt() == "weekly.md"
