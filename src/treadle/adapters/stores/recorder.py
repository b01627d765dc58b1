"""Writes the log of one run: deciding events at once, display-only events batched for 100 ms."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime

from treadle.domain.errors import StoreError
from treadle.domain.events.all_events import DISPLAY_ONLY, Event, RecordedEvent
from treadle.domain.ids import RunId
from treadle.domain.ports import Clock, Store
from treadle.domain.wire import decode, encode

BATCH_S = 0.1
BATCH_LIMIT = 200

EventReader = Callable[[RecordedEvent], None]


class Recorder:
    """The `Log` port on a store. Readers get each event after it is stored, in order."""

    def __init__(
        self,
        store: Store,
        run: RunId,
        clock: Clock,
        readers: Sequence[EventReader],
        *,
        clean: Callable[[Event], Event] = lambda event: event,
    ) -> None:
        self._clean = clean
        self._store = store
        self._run = run
        self._clock = clock
        self._readers = tuple(readers)
        self._pending: list[tuple[datetime, Event]] = []
        self._timer: asyncio.TimerHandle | None = None

    def record(self, event: Event, *, once: str = "") -> None:
        """Store the event now, or within 100 ms if it is display-only and has no `once` key."""
        if once:
            self._record_first(event, once)
            return
        self._pending.append((self._clock.now(), self._clean(event)))
        if isinstance(event, DISPLAY_ONLY) and len(self._pending) < BATCH_LIMIT:
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(BATCH_S, self._flush_late)
            return
        try:
            self.flush()
        except StoreError:
            # The caller will not act on it, so it must not be stored later.
            self._pending.pop()
            raise

    def _record_first(self, event: Event, key: str) -> None:
        self.flush()
        now = self._clock.now()
        self._notify_readers(self._store.append(self._run, [(now, self._clean(event))], once=key))

    def stores_unchanged(self, event: Event) -> bool:
        """Whether a reader of the log gets the event as it is: without a word that looks like a
        secret or is no text."""
        return decode(encode(self._clean(event))) == event

    def flush(self) -> None:
        """Store the pending events in one transaction, and notify the readers."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._pending:
            return
        stored = self._store.append(self._run, self._pending)
        self._pending = []
        self._notify_readers(stored)

    def _notify_readers(self, stored: Sequence[RecordedEvent]) -> None:
        for recorded in stored:
            for reader in self._readers:
                reader(recorded)

    def _flush_late(self) -> None:
        """Keep the events pending if the store fails; the next deciding event raises the error."""
        self._timer = None
        with suppress(StoreError):
            self.flush()
