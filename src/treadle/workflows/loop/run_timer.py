"""How long a run has worked, for everything that must not outlast it."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

# What a command gets at the least: with nothing at all it could not show anything.
LEAST_S = 1.0


@dataclass(slots=True)
class RunTimer:
    """The loop is the source; before it starts, nothing is counted."""

    limit_s: float
    source: Callable[[], float] | None = None

    def time_left(self) -> float:
        """What the run may still take: no command takes longer, whatever its own limit is."""
        if self.source is None:
            return inf
        return max(LEAST_S, self.limit_s - self.source())
