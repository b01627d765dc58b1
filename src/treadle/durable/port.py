"""The interface of durable workflows: whatever must not happen twice is a step."""

from collections.abc import Awaitable, Callable
from types import UnionType
from typing import Protocol, TypeAlias, TypeVar

from treadle.domain.errors import TreadleError

T = TypeVar("T")

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

# The queue that workers serve. Every foreground run has one of its own.
SHARED_QUEUE = "shared"


class Steps(Protocol):
    """One run's checkpoints. After a crash the story is told again from its beginning; steps that
    had finished give their old result without being acted, the one that was cut is acted again.

    So everything a story decides by must come out of a step: the time, the disk, chance, settings.
    """

    async def step(
        self, name: str, act: Callable[[], Awaitable[T]], *, returns: type[T] | UnionType
    ) -> T:
        """The result of `act`, which is stored before it is returned. Names tell the steps of a
        run apart in `treadle show`; a step that raises is not stored and ends the telling."""
        ...

    async def patched(self, name: str) -> bool:
        """Whether this run takes the new way of a story that was changed: False for one that had
        already gone past this place the old way."""
        ...


# A workflow as the engine knows it: a plain coroutine that says nothing but through its steps.
WorkflowFn: TypeAlias = Callable[[Steps, Json], Awaitable[Json]]


class WorkflowRunner(Protocol):
    """What tells stories so that they survive the process that tells them."""

    async def run(self, workflow_id: str, story: str, argument: Json) -> Json:
        """Begin the story, or go on with it where an earlier telling was cut; its result.

        A story that has been told to its end is not told again. What it raises is raised here and
        leaves it as it stands: the next telling acts the step that failed once more.
        """
        ...


class WorkflowCancelled(TreadleError):
    """Somebody cancelled the workflow while it was told."""


class OwnedElsewhere(TreadleError):
    """Another process tells this workflow, or has taken it over."""


class WorkflowChanged(TreadleError):
    """The steps that are stored are not those of the story as it is written now."""
