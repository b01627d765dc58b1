"""The engine without a database: for tests of stories, as quick as the stories themselves."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import UnionType
from typing import TypeAlias, TypeVar

from pydantic import ValidationError

from treadle.domain.ports import Clock
from treadle.durable.changed import result_changed, step_changed
from treadle.durable.port import Json, Story
from treadle.durable.results import decode, encode

T = TypeVar("T")


@dataclass
class StoredStory:
    """What is left of a telling: the steps that finished, with the name and result of each."""

    steps: list[tuple[str, Json]] = field(default_factory=list)
    result: list[Json] = field(default_factory=list)


# Keep it and make a new engine on it: that is a restart after a crash.
History: TypeAlias = dict[str, StoredStory]


class MemoryEngine:
    """The `Teller` on a dict. What cuts a telling is what cancels it."""

    def __init__(self, stories: Mapping[str, Story], history: History) -> None:
        self._stories = stories
        self._history = history

    async def tell(self, workflow_id: str, story: str, argument: Json) -> Json:
        stored = self._history.setdefault(workflow_id, StoredStory())
        if not stored.result:
            steps = MemorySteps(stored.steps)
            stored.result.append(await self._stories[story](steps, argument))
        return stored.result[0]


class MemorySteps:
    """The `Steps` on a list: those that it holds already are not acted again."""

    def __init__(self, stored: list[tuple[str, Json]], clock: Clock | None = None) -> None:
        self._stored = stored
        self._told = 0
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
        if self._told < len(self._stored) and self._stored[self._told] != mark:
            return False
        if self._told == len(self._stored):
            self._stored.append(mark)
        self._told += 1
        return True

    async def _step(
        self, name: str, act: Callable[[], Awaitable[T]], returns: type[T] | UnionType
    ) -> T:
        if self._told == len(self._stored):
            self._stored.append((name, encode(await act(), returns)))
        stored_name, result = self._stored[self._told]
        if stored_name != name:
            raise step_changed(now=name, stored=stored_name)
        self._told += 1
        try:
            return decode(result, returns)
        except ValidationError as error:
            raise result_changed(name, error) from error
