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
    """Works only inside the workflow that created it."""

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

    async def _await_engine(self, name: str, call: Coroutine[Any, Any, T]) -> T:
        if self._failure is None:
            try:
                return await call
            except BypassError as bypass:
                self._failure = original_error(bypass, self._location)
            except SQLAlchemyError as error:
                self._failure = store_error(self._location, error)
            except DBOSUnexpectedStepError as error:
                self._failure = step_changed(now=name, stored=error.inputs[-1])
            except _OWNERSHIP_LOST as error:
                # The engine finds out why and raises that to the caller.
                raise asyncio.CancelledError(str(error)) from error
        call.close()
        # Also if the workflow caught the first error: later steps could not be replayed.
        raise self._failure


def original_error(bypass: BypassError, location: str) -> Exception:
    """The wrapped error; one of the database becomes a `StoreError`."""
    if isinstance(bypass, StoreBypassError) and isinstance(bypass.error, SQLAlchemyError):
        return store_error(location, bypass.error)
    return bypass.error


async def _run_and_encode(act: Callable[[], Awaitable[T]], returns: type[T] | UnionType) -> Json:
    try:
        return encode(await act(), returns)
    except Exception as error:
        raise BypassError(error) from error
