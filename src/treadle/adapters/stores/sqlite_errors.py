"""What a failing SQLite file tells a person: one line, and what to do next. Pure."""

import errno
import sqlite3
from pathlib import Path
from typing import Literal

from treadle.domain.errors import StoreError


def store_error(path: Path, error: Exception) -> StoreError:
    """The one line a person gets when the file or the disk under it does not work."""
    text = error.strerror if isinstance(error, OSError) else str(error)
    match _kind(error):
        case "full":
            return StoreError(
                f"no space left to write {path}",
                hint="free some space; nothing that was stored is lost",
            )
        case "closed":
            return StoreError(
                f"cannot write {path}: {text}",
                hint="make the directory writable, or set TREADLE_ROOT to one that is",
            )
        case "busy":
            return StoreError(
                f"cannot write {path}: {text}", hint="another process holds it; try again later"
            )
        case "failing":
            return StoreError(
                f"cannot write {path}: {text}", hint="check the disk and the room left on it"
            )
        case "broken":
            return StoreError(
                f"cannot use {path}: {text}", hint="move the file away to start a new one"
            )


def _kind(error: Exception) -> Literal["full", "closed", "busy", "failing", "broken"]:
    """By code and not by words: a path in the words may hold any of them."""
    if isinstance(error, OSError):
        return "full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "closed"
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest of it says where, not what
    if code == sqlite3.SQLITE_FULL:
        return "full"
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return "closed"
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "busy"
    return "failing" if code == sqlite3.SQLITE_IOERR else "broken"
