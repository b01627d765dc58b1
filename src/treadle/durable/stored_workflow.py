"""The state of a stored workflow, and what running it means in that state. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class WorkflowStatus(StrEnum):
    """The engine's own names, as stored in its table."""

    RUNNING = "PENDING"
    WAITING = "ENQUEUED"
    FINISHED = "SUCCESS"
    CANCELLED = "CANCELLED"
    GIVEN_UP = "MAX_RECOVERY_ATTEMPTS_EXCEEDED"
    BROKEN = "ERROR"
    DELAYED = "DELAYED"


UNFINISHED = (WorkflowStatus.RUNNING, WorkflowStatus.WAITING)

# Workflows that raised wait here. No process serves this queue: a person must act first.
PARKED_QUEUE = "parked"


@dataclass(frozen=True, slots=True)
class StoredWorkflow:
    """A stored workflow as it was read; it may have changed since."""

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
        """Whether it raised, so that a person must act before it runs again."""
        return self.status is WorkflowStatus.WAITING and self.queue == PARKED_QUEUE


@dataclass(frozen=True, slots=True)
class StartWorkflow:
    """The workflow is not stored yet."""


@dataclass(frozen=True, slots=True)
class TakeOverWorkflow:
    """No process runs it: move it to the own queue and continue it."""

    stored: StoredWorkflow


@dataclass(frozen=True, slots=True)
class AwaitWorkflow:
    """It is ours already: it runs, or waits on our queue."""


@dataclass(frozen=True, slots=True)
class ReadResult:
    """It has finished."""


@dataclass(frozen=True, slots=True)
class LeaveAlone:
    """Another executor runs it; if that one is dead, the workflow must be moved first."""

    executor: str


EngineAction: TypeAlias = StartWorkflow | TakeOverWorkflow | AwaitWorkflow | ReadResult | LeaveAlone


def choose_action(
    stored: StoredWorkflow | None, *, executor: str, queue: str, interrupted_here: bool
) -> EngineAction:
    """What to do to run a workflow that is not running in this process.

    `interrupted_here`: this process ran it and interrupted it, without requeueing it.
    """
    if stored is None:
        return StartWorkflow()
    match stored.status:
        case WorkflowStatus.FINISHED:
            return ReadResult()
        case WorkflowStatus.RUNNING if stored.executor != executor:
            return LeaveAlone(stored.executor)
        case WorkflowStatus.RUNNING if not interrupted_here:
            return AwaitWorkflow()
        case WorkflowStatus.WAITING if stored.queue == queue:
            return AwaitWorkflow()
        case _:
            return TakeOverWorkflow(stored)


def is_lost(stored: StoredWorkflow, *, executor: str, queue: str) -> bool:
    """Whether a workflow that `executor` runs, or awaits on its `queue`, is no longer its own."""
    match stored.status:
        case WorkflowStatus.RUNNING | WorkflowStatus.FINISHED:
            return stored.executor != executor
        case WorkflowStatus.WAITING:
            return stored.queue != queue
        case _:
            return True
