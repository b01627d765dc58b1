"""The increments of one queue: reads their folders, records what is skipped."""

import asyncio
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from treadle.domain.errors import UsageError
from treadle.domain.events.queue import ItemSkipped
from treadle.domain.increment import IncrementList
from treadle.workflows.auto.increment_files import FOLDER, read_increments, read_specification
from treadle.workflows.auto.next_step import AutoRules, next_step
from treadle.workflows.queue.definition import QueueParts, QueueStep
from treadle.workflows.queue.queue_state import QueueState, apply_queue_skip


class IncrementQueue:
    """The `QueueSource` of `auto`."""

    def __init__(self, parts: QueueParts) -> None:
        self._parts = parts

    async def next_step(self, state: QueueState, now: datetime) -> QueueStep:
        project, rules = self._parts.project, self._rules()
        found = await asyncio.to_thread(read_increments, project)
        texts = await asyncio.to_thread(_texts, project, found)
        while isinstance(step := next_step(found, texts, state, rules), ItemSkipped):
            self._parts.record(step, f"skipped {step.item} retry {state.retries}")
            state = apply_queue_skip(state, step)
        return step

    async def wait_for_change(self) -> None:
        await self._parts.changed((self._parts.project / FOLDER,))

    async def wait_for_work(self) -> None:
        """No item of this queue is in the background."""
        await asyncio.Event().wait()

    def _rules(self) -> AutoRules:
        options, inputs = self._parts.options, self._parts.inputs
        return AutoRules(
            wanted=_names(inputs["increments"]),
            done=frozenset(_names(inputs.get("done", ""))),
            promise=inputs["promise"],
            limits=self._parts.limits,
            on_failure=options.on_failure,
            wip_limit=options.wip_limit,
        )


def _names(listed: str) -> tuple[str, ...]:
    return tuple(name for name in listed.split(",") if name)


def _texts(project: Path, found: IncrementList) -> dict[str, str]:
    """What each increment asks for."""
    texts = {}
    for each in found.increments:
        # Changed meanwhile: the next look says so.
        with suppress(UsageError):
            texts[each.name] = read_specification(project, each.name)
    return texts
