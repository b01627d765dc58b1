"""The time in which a session waits for us: for what the policy, a hook or a person says."""

from collections.abc import Iterator
from contextlib import contextmanager

from treadle.domain.ports import Clock


class Recess:
    """No clock of the session runs meanwhile: nobody can be late who has to wait."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._open = 0
        self._since = 0.0
        self._before = 0.0

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Several uses may be decided about at once; time counts once."""
        if self._open == 0:
            self._since = self._clock.monotonic()
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1
            if self._open == 0:
                self._before += self._clock.monotonic() - self._since

    @property
    def on(self) -> bool:
        return self._open > 0

    @property
    def seconds(self) -> float:
        """All of it so far."""
        now = self._clock.monotonic() - self._since if self._open else 0.0
        return self._before + now
