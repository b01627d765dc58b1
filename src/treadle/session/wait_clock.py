"""Measures the time a session waits for a decision of the policy, a hook or a person."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from treadle.domain.ports import Clock


class WaitClock:
    """The time limits of a session exclude this time.

    It runs only while every open tool call waits: a call that works beside a waiting one keeps
    its limits.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting: Counter[str] = Counter()
        self._open_calls: frozenset[str] = frozenset()
        self._since: float | None = None
        self._finished_s = 0.0

    @contextmanager
    def waiting_for(self, use: str) -> Iterator[None]:
        """Wait for the decision on a tool use; concurrent waits count once."""
        self._waiting[use] += 1
        self._update()
        try:
            yield
        finally:
            self._waiting[use] -= 1
            self._waiting += Counter()  # drops zero counts
            self._update()

    def set_open_calls(self, calls: frozenset[str]) -> None:
        """Set the tool uses without a result, except those that wait for other uses."""
        self._open_calls = calls
        self._update()

    @property
    def waiting(self) -> frozenset[str]:
        """The tool uses that wait for a decision."""
        return frozenset(self._waiting)

    @property
    def is_waiting(self) -> bool:
        return self._since is not None

    @property
    def seconds(self) -> float:
        """The total so far."""
        current_s = 0.0 if self._since is None else self._clock.monotonic() - self._since
        return self._finished_s + current_s

    def _update(self) -> None:
        is_waiting = bool(self._waiting) and self._open_calls <= self._waiting.keys()
        if is_waiting and self._since is None:
            self._since = self._clock.monotonic()
        elif not is_waiting and self._since is not None:
            self._finished_s += self._clock.monotonic() - self._since
            self._since = None
