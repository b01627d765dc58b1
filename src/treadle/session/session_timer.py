"""The time of the session that works now, for whoever notes it while the session is open.

A session that is cut off has told no duration. What the log has of it are times of the wall clock,
and a wall clock jumps.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from treadle.domain.ids import SessionId


@dataclass(frozen=True, slots=True)
class SessionTime:
    """What a session has taken so far, in all processes that worked on it."""

    session: SessionId
    seconds: float


@dataclass(slots=True)
class SessionTimer:
    """`source` returns the time of the open session; it is None while there is none."""

    source: Callable[[], SessionTime] | None = None

    @contextmanager
    def measure(self, session: SessionId, seconds: Callable[[], float]) -> Iterator[None]:
        """Within the block, the session is the open one."""
        self.source = lambda: SessionTime(session, seconds())
        try:
            yield
        finally:
            self.source = None

    def current(self) -> SessionTime | None:
        return None if self.source is None else self.source()
