"""Events of a queue: its items, each one run of a workflow, and what it waits for."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from treadle.domain.exit_reasons import ExitReason
from treadle.domain.ids import RunId


@dataclass(frozen=True, slots=True)
class ItemStarted:
    """An item is about to be done by this run; stored before the run exists."""

    item: str
    # Changes with what the item asks for.
    version: str
    run: RunId
    workflow: str
    title: str = ""
    # Ended as soon as other work arrives.
    background: bool = False
    # The run whose work it starts from; None: it starts from the checkout.
    after: RunId | None = None
    type: Literal["item.started"] = "item.started"


@dataclass(frozen=True, slots=True)
class ItemEnded:
    """The run of an item has ended, or could not start."""

    item: str
    version: str
    run: RunId
    reason: ExitReason
    message: str = ""
    cost_usd: float = 0.0
    rounds: int = 0
    running_s: float = 0.0
    # The commit at which its work landed; empty if it did not. None: stored by a version before.
    landed: str | None = None
    type: Literal["item.ended"] = "item.ended"


@dataclass(frozen=True, slots=True)
class ItemRemoved:
    """The item is done and was not changed meanwhile, so its file is removed."""

    item: str
    type: Literal["item.removed"] = "item.removed"


@dataclass(frozen=True, slots=True)
class ItemKept:
    """The item stays: it was changed meanwhile, or its run did not succeed."""

    item: str
    version: str
    reason: str
    # The file that says why, if there is one.
    path: str = ""
    type: Literal["item.kept"] = "item.kept"


@dataclass(frozen=True, slots=True)
class ItemSkipped:
    """The item is not started: what it needs is not done."""

    item: str
    reason: str
    type: Literal["item.skipped"] = "item.skipped"


WaitReason = Literal["empty", "spec_issue", "items_left", "quiet", "busy", "day_limit", "paused"]


@dataclass(frozen=True, slots=True)
class WaitStarted:
    """The queue can start no item now; `text` says why, for a person."""

    reason: WaitReason
    text: str
    until: datetime | None = None
    # Whether a person must act before the queue goes on with what it has.
    needs_person: bool = False
    type: Literal["wait.started"] = "wait.started"


@dataclass(frozen=True, slots=True)
class WaitEnded:
    """The reason to wait is gone."""

    type: Literal["wait.ended"] = "wait.ended"


QueueEvent = (
    ItemStarted | ItemEnded | ItemRemoved | ItemKept | ItemSkipped | WaitStarted | WaitEnded
)
