"""The real clock, and fresh identifiers from it."""

import secrets
import time
import uuid
from datetime import UTC, datetime
from sys import platform

from treadle.domain.ids import RunId, SessionId, make_run_id

# Both go on while the machine sleeps; the first is Linux's, the second that of macOS.
_ELAPSED = time.CLOCK_BOOTTIME if platform == "linux" else time.CLOCK_MONOTONIC_RAW


class SystemClock:
    """The `Clock` port. Its monotonic time stands still while the machine sleeps (on Linux)."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def elapsed(self) -> float:
        return time.clock_gettime(_ELAPSED)

    async def sleep(self, seconds: float) -> None:
        # Imported here, because commands that only look want the time.
        import asyncio

        await asyncio.sleep(seconds)


def fresh_run_id() -> RunId:
    return make_run_id(unix_ms=time.time_ns() // 1_000_000, random_bits=secrets.randbits(74))


def fresh_session_id() -> SessionId:
    return SessionId(str(uuid.uuid4()))
