"""The event store in memory, for tests and for runs that must leave no trace."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from treadle.adapters.stores.run_projection import state_after
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.ids import RunId
from treadle.domain.lifecycle import StoredState, changes_state


class MemoryStore:
    """The `Store` port on dictionaries."""

    def __init__(self) -> None:
        self._events: defaultdict[RunId, list[RecordedEvent]] = defaultdict(list)
        self._states: dict[RunId, StoredState | None] = {}
        self._once: set[tuple[RunId, str]] = set()

    def append(
        self, run: RunId, events: Sequence[tuple[datetime, Event]], *, once: str = ""
    ) -> Sequence[RecordedEvent]:
        if once and (run, once) in self._once:
            return ()
        state = self._states.get(run)
        for _, event in events:
            state = state_after(run, state, event) if changes_state(event.type) else state
        log = self._events[run]
        last = len(log)
        recorded = [
            RecordedEvent(run, last + n, at, event) for n, (at, event) in enumerate(events, 1)
        ]
        log.extend(recorded)
        self._states[run] = state
        if once:
            self._once.add((run, once))
        return recorded

    def read(
        self,
        run: RunId,
        *,
        after: int = 0,
        limit: int | None = None,
        types: Collection[str] = (),
    ) -> Iterator[RecordedEvent]:
        later = self._events[run][after:]
        selected = [each for each in later if not types or each.event.type in types]
        return iter(selected if limit is None else selected[:limit])


class MemoryStatusBoard:
    """The `StatusBoard` port in memory, for a run on a branch of its own. A process that takes the
    run over gives it the deliverables of the log."""

    def __init__(self, deliverables: Sequence[Deliverable] = ()) -> None:
        self._deliverables = tuple(deliverables)

    def read(self) -> tuple[Deliverable, ...]:
        return self._deliverables

    def write(self, deliverables: Sequence[Deliverable], *, today: str) -> bool:
        """Nobody else changes them, so this never fails."""
        self._deliverables = tuple(deliverables)
        return True
