"""What a queue workflow provides: which item comes next, and when to look again. Types only."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from treadle.domain.events.queue import QueueEvent, WaitReason
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.limits import RunLimits
from treadle.workflows.queue.queue_state import QueueState


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One piece of work: the run of a workflow with these inputs."""

    name: str
    version: str
    workflow: str
    inputs: Mapping[str, str]
    title: str = ""
    # Ended as soon as other work arrives; its work is not built on.
    background: bool = False
    # Settings by dotted name, in place of those of the queue.
    flags: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StartItem:
    item: QueueItem


@dataclass(frozen=True, slots=True)
class WaitFor:
    """No item can start before something changes, or before `until`."""

    reason: WaitReason
    text: str
    until: datetime | None = None
    needs_person: bool = False


@dataclass(frozen=True, slots=True)
class EndQueue:
    reason: ExitReason
    message: str = ""


QueueStep: TypeAlias = StartItem | WaitFor | EndQueue


class QueueSource(Protocol):
    """The items of one queue. After a crash everything is asked again, so it keeps nothing."""

    async def next_step(self, state: QueueState, now: datetime) -> QueueStep:
        """Settle what ended, look, decide. Called when no item is at work."""
        ...

    async def wait_for_change(self) -> None:
        """Return once something has changed that `next_step` looks at."""
        ...

    async def wait_for_work(self) -> None:
        """Return once there is work that a background item must make room for."""
        ...


@dataclass(frozen=True, slots=True)
class QueueParts:
    """What a queue is made of."""

    project: Path
    # The folder of the specifications, in the project.
    specs: str
    inputs: Mapping[str, str]
    # The section of the settings that has the workflow's name.
    options: Any
    # Those of the queue's own request, for all items together if the workflow holds them so.
    limits: RunLimits
    # An event; a key is recorded once.
    record: Callable[[QueueEvent, str], None]
    # Returns once something below one of these paths has changed.
    changed: Callable[[Sequence[Path]], Awaitable[None]]
    # Changes with what the checkout holds.
    checkout_tree: Callable[[], Awaitable[str]]
    # Dollars that the items of this queue in the background have cost today.
    background_today_usd: Callable[[], float]
