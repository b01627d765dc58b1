"""What a failing PostgreSQL server tells a person: one line, and what to do next. Pure."""

import psycopg
from psycopg import errors

from treadle.domain.errors import StoreError


def store_error(shown: str, error: psycopg.Error) -> StoreError:
    """By the class of the error; its first line is the server's own word."""
    text = (str(error).strip() or type(error).__name__).splitlines()[0]
    match error:
        case errors.DiskFull():
            return StoreError(
                f"no space left on the server of {shown}",
                hint="free some space; nothing that was stored is lost",
            )
        case errors.ReadOnlySqlTransaction() | errors.InsufficientPrivilege():
            return StoreError(
                f"cannot write to {shown}: {text}",
                hint="use a server and a user that may write to the schema treadle",
            )
        case errors.LockNotAvailable() | errors.QueryCanceled() | errors.DeadlockDetected():
            return StoreError(
                f"cannot write to {shown}: {text}", hint="another process holds it; try again later"
            )
        case psycopg.OperationalError():
            return StoreError(
                f"cannot reach {shown}: {text}",
                hint="check database.url and that the server is running",
            )
        case _:
            return StoreError(
                f"cannot use {shown}: {text}",
                hint="check that its schema treadle is Treadle's own",
            )
