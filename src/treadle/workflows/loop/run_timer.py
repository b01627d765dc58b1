"""Limits commands to the time that the run has left."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

# A command with no time at all could not show a result.
MIN_SECONDS = 1.0


@dataclass(slots=True)
class RunTimer:
    """`source` returns the running time of the loop; it is None before the loop starts."""

    limit_s: float
    source: Callable[[], float] | None = None

    def time_left(self) -> float:
        """Seconds that the run has left: the maximum for every command."""
        if self.source is None:
            return inf
        return max(MIN_SECONDS, self.limit_s - self.source())
