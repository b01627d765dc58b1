"""How a stored workflow stands, and what telling it means then. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Status(StrEnum):
    """The engine's own words; they are what the table holds."""

    TOLD_NOW = "PENDING"
    WAITING = "ENQUEUED"
    FINISHED = "SUCCESS"
    CANCELLED = "CANCELLED"
    GIVEN_UP = "MAX_RECOVERY_ATTEMPTS_EXCEEDED"
    BROKEN = "ERROR"
    DELAYED = "DELAYED"


UNFINISHED = (Status.TOLD_NOW, Status.WAITING)

# Stories that raised wait here. Nobody serves this queue: a person acts first.
PARKED = "parked"


@dataclass(frozen=True, slots=True)
class Standing:
    """A stored workflow as it was seen; what was seen may have changed since."""

    workflow_id: str
    status: Status
    executor: str
    queue: str

    @property
    def is_unfinished(self) -> bool:
        return self.status in UNFINISHED

    @property
    def is_waiting(self) -> bool:
        return self.status is Status.WAITING

    @property
    def is_parked(self) -> bool:
        """Whether its story raised, so that somebody has to act before it is told again."""
        return self.status is Status.WAITING and self.queue == PARKED


@dataclass(frozen=True, slots=True)
class Begin:
    """It is not stored yet."""


@dataclass(frozen=True, slots=True)
class TakeUp:
    """Nobody tells it: put it on the own queue and go on with it."""

    seen: Standing


@dataclass(frozen=True, slots=True)
class Await:
    """It is ours already, told now or next in our queue."""


@dataclass(frozen=True, slots=True)
class ReadResult:
    """It was told to its end."""


@dataclass(frozen=True, slots=True)
class LeaveAlone:
    """Another executor tells it; if that one is dead, it must be moved from there first."""

    executor: str


GoingOn: TypeAlias = Begin | TakeUp | Await | ReadResult | LeaveAlone


def how_to_go_on(seen: Standing | None, *, executor: str, queue: str, left_here: bool) -> GoingOn:
    """What telling means for a workflow that this process does not tell right now.

    `left_here`: it did, and what it began was cut without another place being found for it.
    """
    if seen is None:
        return Begin()
    match seen.status:
        case Status.FINISHED:
            return ReadResult()
        case Status.TOLD_NOW if seen.executor != executor:
            return LeaveAlone(seen.executor)
        case Status.TOLD_NOW if not left_here:
            return Await()
        case Status.WAITING if seen.queue == queue:
            return Await()
        case _:
            return TakeUp(seen)


def is_lost(seen: Standing, *, executor: str, queue: str) -> bool:
    """Whether a story that `executor` tells, or awaits on its `queue`, is not its own any more."""
    match seen.status:
        case Status.TOLD_NOW | Status.FINISHED:
            return seen.executor != executor
        case Status.WAITING:
            return seen.queue != queue
        case _:
            return True
