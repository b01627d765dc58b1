"""The event store in memory, for tests and for looking at a run that must leave no trace."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime

from treadle.domain.events.all_events import Event, Recorded
from treadle.domain.ids import RunId


class MemoryStore:
    """The `Store` port on a dictionary."""

    def __init__(self) -> None:
        self._events: defaultdict[RunId, list[Recorded]] = defaultdict(list)

    def append(self, run: RunId, events: Sequence[tuple[datetime, Event]]) -> Sequence[Recorded]:
        log = self._events[run]
        recorded = [
            Recorded(run, len(log) + 1 + n, at, event) for n, (at, event) in enumerate(events)
        ]
        log.extend(recorded)
        return recorded

    def read(self, run: RunId, *, after: int = 0, limit: int | None = None) -> Iterator[Recorded]:
        rest = self._events[run][after:]
        return iter(rest if limit is None else rest[:limit])
