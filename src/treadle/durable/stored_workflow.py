"""The state of a stored workflow, and what running it means in that state. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class WorkflowStatus(StrEnum):
    """The engine's own words; they are what the table holds."""

    RUNNING = "PENDING"
    WAITING = "ENQUEUED"
    FINISHED = "SUCCESS"
    CANCELLED = "CANCELLED"
    GIVEN_UP = "MAX_RECOVERY_ATTEMPTS_EXCEEDED"
    BROKEN = "ERROR"
    DELAYED = "DELAYED"


UNFINISHED = (WorkflowStatus.RUNNING, WorkflowStatus.WAITING)

# Stories that raised wait here. Nobody serves this queue: a person acts first.
PARKED_QUEUE = "parked"


@dataclass(frozen=True, slots=True)
class StoredWorkflow:
    """A stored workflow as it was seen; what was seen may have changed since."""

    workflow_id: str
    status: WorkflowStatus
    executor: str
    queue: str

    @property
    def is_unfinished(self) -> bool:
        return self.status in UNFINISHED

    @property
    def is_waiting(self) -> bool:
        return self.status is WorkflowStatus.WAITING

    @property
    def is_parked(self) -> bool:
        """Whether its story raised, so that somebody has to act before it is told again."""
        return self.status is WorkflowStatus.WAITING and self.queue == PARKED_QUEUE


@dataclass(frozen=True, slots=True)
class StartWorkflow:
    """It is not stored yet."""


@dataclass(frozen=True, slots=True)
class TakeOverWorkflow:
    """Nobody tells it: put it on the own queue and go on with it."""

    seen: StoredWorkflow


@dataclass(frozen=True, slots=True)
class AwaitWorkflow:
    """It is ours already, told now or next in our queue."""


@dataclass(frozen=True, slots=True)
class ReadResult:
    """It was told to its end."""


@dataclass(frozen=True, slots=True)
class LeaveAlone:
    """Another executor tells it; if that one is dead, it must be moved from there first."""

    executor: str


EngineAction: TypeAlias = StartWorkflow | TakeOverWorkflow | AwaitWorkflow | ReadResult | LeaveAlone


def choose_action(
    seen: StoredWorkflow | None, *, executor: str, queue: str, left_here: bool
) -> EngineAction:
    """What telling means for a workflow that this process does not tell right now.

    `left_here`: it did, and what it began was cut without another place being found for it.
    """
    if seen is None:
        return StartWorkflow()
    match seen.status:
        case WorkflowStatus.FINISHED:
            return ReadResult()
        case WorkflowStatus.RUNNING if seen.executor != executor:
            return LeaveAlone(seen.executor)
        case WorkflowStatus.RUNNING if not left_here:
            return AwaitWorkflow()
        case WorkflowStatus.WAITING if seen.queue == queue:
            return AwaitWorkflow()
        case _:
            return TakeOverWorkflow(seen)


def is_lost(seen: StoredWorkflow, *, executor: str, queue: str) -> bool:
    """Whether a story that `executor` tells, or awaits on its `queue`, is not its own any more."""
    match seen.status:
        case WorkflowStatus.RUNNING | WorkflowStatus.FINISHED:
            return seen.executor != executor
        case WorkflowStatus.WAITING:
            return seen.queue != queue
        case _:
            return True
