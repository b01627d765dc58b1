"""The engine without a database, for fast tests of workflows."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import UnionType
from typing import TypeAlias, TypeVar

from pydantic import ValidationError

from treadle.durable.port import Json, WorkflowFn
from treadle.durable.step_codec import decode, encode
from treadle.durable.workflow_errors import result_changed, step_changed

T = TypeVar("T")


@dataclass
class MemoryWorkflow:
    """A stored workflow: the name and result of each finished step, and the final result."""

    steps: list[tuple[str, Json]] = field(default_factory=list)
    result: list[Json] = field(default_factory=list)


# Shared by several engines, one after the other, it acts as the database across restarts.
MemoryWorkflows: TypeAlias = dict[str, MemoryWorkflow]


class MemoryEngine:
    """The `WorkflowRunner` on a dict."""

    def __init__(self, workflows: Mapping[str, WorkflowFn], history: MemoryWorkflows) -> None:
        self._functions = workflows
        self._history = history

    async def run(self, workflow_id: str, workflow: str, argument: Json) -> Json:
        stored = self._history.setdefault(workflow_id, MemoryWorkflow())
        if not stored.result:
            steps = MemorySteps(stored.steps)
            stored.result.append(await self._functions[workflow](steps, argument))
        return stored.result[0]


class MemorySteps:
    """The `Steps` on a list of finished steps."""

    def __init__(self, stored: list[tuple[str, Json]]) -> None:
        self._stored = stored
        self._position = 0
        self._failure: Exception | None = None

    async def step(
        self, name: str, act: Callable[[], Awaitable[T]], *, returns: type[T] | UnionType
    ) -> T:
        if self._failure is None:
            try:
                return await self._step(name, act, returns)
            except Exception as error:
                self._failure = error
        raise self._failure

    async def patched(self, name: str) -> bool:
        mark = (f"patched: {name}", None)
        if self._position < len(self._stored) and self._stored[self._position] != mark:
            return False
        if self._position == len(self._stored):
            self._stored.append(mark)
        self._position += 1
        return True

    async def _step(
        self, name: str, act: Callable[[], Awaitable[T]], returns: type[T] | UnionType
    ) -> T:
        if self._position == len(self._stored):
            self._stored.append((name, encode(await act(), returns)))
        stored_name, result = self._stored[self._position]
        if stored_name != name:
            raise step_changed(now=name, stored=stored_name)
        self._position += 1
        try:
            return decode(result, returns)
        except ValidationError as error:
            raise result_changed(name, error) from error
