"""Steps whose results are redacted before they are stored."""

from collections.abc import Awaitable, Callable
from types import UnionType
from typing import TypeVar

from treadle.durable.port import Steps
from treadle.policy.redaction import Redactor

T = TypeVar("T")


class RedactedSteps:
    """The `Steps` port: what an agent said in a session becomes part of what the engine keeps."""

    def __init__(self, steps: Steps, clean: Redactor) -> None:
        self._steps = steps
        self._clean = clean

    async def step(
        self, name: str, act: Callable[[], Awaitable[T]], *, returns: type[T] | UnionType
    ) -> T:
        async def cleaned() -> T:
            return self._clean(await act())

        return await self._steps.step(name, cleaned, returns=returns)

    async def patched(self, name: str) -> bool:
        return await self._steps.patched(name)
