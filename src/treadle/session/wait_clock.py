"""Measures the time a session waits for a decision of the policy, a hook or a person."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from treadle.domain.ports import Clock


class WaitClock:
    """No clock of the session runs meanwhile: nobody can be late who has to wait.

    It lasts as long as all that the agent has under way waits. A use that goes on beside one that
    a person thinks about has its limits.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting: Counter[str] = Counter()
        self._open_calls: frozenset[str] = frozenset()
        self._since: float | None = None
        self._before = 0.0

    @contextmanager
    def waiting_for(self, use: str) -> Iterator[None]:
        """Several uses may be decided about at once; time counts once."""
        self._waiting[use] += 1
        self._update()
        try:
            yield
        finally:
            self._waiting[use] -= 1
            self._waiting += Counter()  # without those that are at nought
            self._update()

    def set_open_calls(self, under_way: frozenset[str]) -> None:
        """Be told which uses have no result yet, as far as they do not wait for other ones."""
        self._open_calls = under_way
        self._update()

    @property
    def waiting(self) -> frozenset[str]:
        """The uses that are being decided about."""
        return frozenset(self._waiting)

    @property
    def is_waiting(self) -> bool:
        return self._since is not None

    @property
    def seconds(self) -> float:
        """All of it so far."""
        now = 0.0 if self._since is None else self._clock.monotonic() - self._since
        return self._before + now

    def _update(self) -> None:
        on = bool(self._waiting) and self._open_calls <= self._waiting.keys()
        if on and self._since is None:
            self._since = self._clock.monotonic()
        elif not on and self._since is not None:
            self._before += self._clock.monotonic() - self._since
            self._since = None
