"""The `Steps` of a workflow on the engine: each step is a row in its database."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from types import UnionType
from typing import Any, TypeVar

from dbos import DBOS
from dbos._error import (
    DBOSUnexpectedStepError,
    DBOSWorkflowCancelledError,
    DBOSWorkflowConflictIDError,
)
from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError

from treadle.durable.connections import store_error
from treadle.durable.port import Json
from treadle.durable.step_codec import decode, encode
from treadle.durable.workflow_errors import (
    BypassError,
    StoreBypassError,
    result_changed,
    step_changed,
)

T = TypeVar("T")

_OWNERSHIP_LOST = (DBOSWorkflowCancelledError, DBOSWorkflowConflictIDError)


class StoredSteps:
    """Only works inside the workflow that it was made in."""

    def __init__(self, location: str) -> None:
        self._location = location
        self._failure: Exception | None = None

    async def step(
        self, name: str, act: Callable[[], Awaitable[T]], *, returns: type[T] | UnionType
    ) -> T:
        stored = await self._await_engine(
            name, DBOS.run_step_async({"name": name}, _run_and_encode, act, returns)
        )
        try:
            return decode(stored, returns)
        except ValidationError as error:
            self._failure = result_changed(name, error)
        raise self._failure

    async def patched(self, name: str) -> bool:
        return await self._await_engine(name, DBOS.patch_async(name))

    async def _await_engine(self, name: str, answer: Coroutine[Any, Any, T]) -> T:
        if self._failure is None:
            try:
                return await answer
            except BypassError as raised:
                self._failure = original_error(raised, self._location)
            except SQLAlchemyError as error:
                self._failure = store_error(self._location, error)
            except DBOSUnexpectedStepError as error:
                self._failure = step_changed(now=name, stored=error.inputs[-1])
            except _OWNERSHIP_LOST as error:
                # Whoever waits for the story looks up why; the story itself just ends.
                raise asyncio.CancelledError(str(error)) from error
        answer.close()
        # Also for a story that caught it: what would come now could not be told again the same way.
        raise self._failure


def original_error(raised: BypassError, location: str) -> Exception:
    """The error that was carried, in words for a person if it is the database's."""
    if isinstance(raised, StoreBypassError) and isinstance(raised.error, SQLAlchemyError):
        return store_error(location, raised.error)
    return raised.error


async def _run_and_encode(act: Callable[[], Awaitable[T]], returns: type[T] | UnionType) -> Json:
    try:
        return encode(await act(), returns)
    except Exception as error:
        raise BypassError(error) from error
