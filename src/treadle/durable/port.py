"""The interface of durable workflows: whatever must not be repeated is a step."""

from collections.abc import Awaitable, Callable
from types import UnionType
from typing import Protocol, TypeAlias, TypeVar

from treadle.domain.errors import TreadleError

T = TypeVar("T")

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

# The names of the queues that workers serve begin with it; every foreground run has its own.
SHARED_QUEUE = "shared"


class Steps(Protocol):
    """The checkpoints of one workflow. After a crash the workflow runs again from its start:
    finished steps return their stored result, the interrupted one is run again.

    So every input to a decision must come from a step: the time, the disk, randomness, settings.
    """

    async def step(
        self, name: str, act: Callable[[], Awaitable[T]], *, returns: type[T] | UnionType
    ) -> T:
        """Run `act`, store its result, and return it. `treadle show` lists steps by name. A step
        that raises is not stored, and ends the workflow."""
        ...

    async def patched(self, name: str) -> bool:
        """Whether this run uses a change of the workflow: False if it had passed this point before
        the change."""
        ...


# A workflow function; its only effects are its steps.
WorkflowFn: TypeAlias = Callable[[Steps, Json], Awaitable[Json]]


class WorkflowRunner(Protocol):
    """Runs workflows that survive their process."""

    async def run(self, workflow_id: str, workflow: str, argument: Json) -> Json:
        """Start a workflow or continue an interrupted one, and return its result.

        A finished workflow is not run again. An error of the workflow is raised here and not
        stored: the next call runs the failed step again.
        """
        ...


class WorkflowCancelled(TreadleError):
    """The workflow was cancelled while it ran."""


class OwnedElsewhere(TreadleError):
    """Another process runs this workflow, or has taken it over."""


class WorkflowChanged(TreadleError):
    """The stored steps do not match the workflow of this version."""
