"""The engine without a database, for fast tests of workflows."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import UnionType
from typing import TypeAlias, TypeVar

from pydantic import ValidationError

from treadle.domain.ports import Clock
from treadle.durable.port import Json, WorkflowFn
from treadle.durable.step_codec import decode, encode
from treadle.durable.workflow_errors import result_changed, step_changed

T = TypeVar("T")


@dataclass
class MemoryWorkflow:
    """What is left of a telling: the steps that finished, with the name and result of each."""

    steps: list[tuple[str, Json]] = field(default_factory=list)
    result: list[Json] = field(default_factory=list)


# Keep it and make a new engine on it: that is a restart after a crash.
MemoryWorkflows: TypeAlias = dict[str, MemoryWorkflow]


class MemoryEngine:
    """The `Teller` on a dict. What cuts a telling is what cancels it."""

    def __init__(self, stories: Mapping[str, WorkflowFn], history: MemoryWorkflows) -> None:
        self._functions = stories
        self._history = history

    async def run(self, workflow_id: str, story: str, argument: Json) -> Json:
        stored = self._history.setdefault(workflow_id, MemoryWorkflow())
        if not stored.result:
            steps = MemorySteps(stored.steps)
            stored.result.append(await self._functions[story](steps, argument))
        return stored.result[0]


class MemorySteps:
    """The `Steps` on a list: those that it holds already are not acted again."""

    def __init__(self, stored: list[tuple[str, Json]], clock: Clock | None = None) -> None:
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
