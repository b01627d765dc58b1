"""A queue of increments with real files: what of its decisions the log says."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from tests.builders import NOON, RUN, RUN_LIMITS
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.queue import ItemSkipped, QueueEvent
from treadle.domain.events.run import RunReopened
from treadle.settings.workflow_definitions import AutoSettings
from treadle.workflows.auto.increment_queue import IncrementQueue
from treadle.workflows.queue.definition import EndQueue, QueueParts, QueueStep
from treadle.workflows.queue.queue_state import read_queue


@dataclass
class AutoHarness:
    """A project, and the log of a queue whose keys are stored once."""

    project: Path
    log: list[Event] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)

    async def step(self) -> QueueStep:
        """What a process decides that knows nothing but log and files."""

        async def tree() -> str:
            return "tree"

        async def unchanged(_: Sequence[Path]) -> None:
            return None

        def record(event: QueueEvent, once: str) -> None:
            if once not in self.keys:
                self.keys.add(once)
                self.log.append(event)

        parts = QueueParts(
            project=self.project,
            specs="specs",
            inputs={"increments": "0001-gone", "promise": "READY"},
            options=AutoSettings(),
            limits=RUN_LIMITS,
            record=record,
            changed=unchanged,
            checkout_tree=tree,
            background_today_usd=lambda: 0.0,
        )
        state = read_queue(
            RecordedEvent(RUN, number, NOON + timedelta(seconds=number), event)
            for number, event in enumerate(self.log, start=1)
        )
        return await IncrementQueue(parts).next_step(state, NOON)


async def test_what_is_skipped_is_recorded_once_and_again_after_each_retry(tmp_path: Path) -> None:
    harness = AutoHarness(tmp_path)
    retry, skipped = (
        RunReopened("retry", RUN_LIMITS),
        ItemSkipped("0001-gone", "its folder is gone"),
    )

    for _ in range(3):
        assert isinstance(await harness.step(), EndQueue)
        await harness.step()
        harness.log.append(retry)

    assert harness.log == [skipped, retry] * 3
