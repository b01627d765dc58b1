"""The state of a queue from its own log. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias, assert_never

from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.queue import (
    ItemEnded,
    ItemKept,
    ItemRemoved,
    ItemSkipped,
    ItemStarted,
    WaitEnded,
    WaitStarted,
)
from treadle.domain.events.run import RunReopened
from treadle.domain.events.work import WorkLanded
from treadle.domain.exit_reasons import DONE, ExitReason, exit_code
from treadle.domain.ids import RunId

# No fault of the item: the next one would end the same way.
SHARED_FAULTS: frozenset[ExitReason] = frozenset(
    {
        "authentication",
        "quota_exceeded",
        "service_unavailable",
        "sandbox_error",
        "unguarded_tool",
        "setup_failed",
    }
)
# In the message of a run that has spent the money of the day.
DAY_LIMIT = "limits.day_cost_usd"
_ItemEvent: TypeAlias = ItemStarted | ItemEnded | ItemKept | ItemRemoved | ItemSkipped


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """One attempt at an item."""

    started: ItemStarted
    ended: ItemEnded | None = None
    ended_at: datetime | None = None
    kept: ItemKept | None = None
    # Whether its file was removed since: another of that name is another item.
    is_removed: bool = False

    @property
    def met_shared_fault(self) -> bool:
        return self.ended is not None and self.ended.reason in SHARED_FAULTS

    @property
    def met_day_limit(self) -> bool:
        ended = self.ended
        if ended is None or ended.reason != "budget_exceeded":
            return False
        return DAY_LIMIT in ended.message

    @property
    def was_cut_off(self) -> bool:
        """Whether its work goes on in another run: somebody interrupted it, or the money of the day
        was spent."""
        was_interrupted = self.ended is not None and self.ended.reason == "interrupted"
        return was_interrupted or self.met_day_limit

    @property
    def succeeded(self) -> bool:
        return self.ended is not None and exit_code(self.ended.reason) == DONE


@dataclass(frozen=True, slots=True)
class QueueState:
    """All attempts in order, and what the queue waits for."""

    records: tuple[ItemRecord, ...] = ()
    waiting: WaitStarted | None = None
    # Items that are not started, with why.
    skipped: tuple[ItemSkipped, ...] = ()
    # How many attempts there were when a person last resumed or retried the queue.
    resumed_at: int = 0
    retried_at: int = 0
    retries: int = 0
    # How many attempts had ended when work that had waited on its branch last landed.
    landed_at: int = 0

    @property
    def current(self) -> ItemRecord | None:
        """The attempt whose run has not ended; there is one at most."""
        last = self.records[-1] if self.records else None
        return last if last is not None and last.ended is None else None

    @property
    def last_good(self) -> RunId | None:
        """The run whose work the next item starts from; None if none has succeeded."""
        good = [r for r in self.records if r.succeeded and not r.started.background]
        return good[-1].started.run if good else None

    def start_of(self, item: str, version: str) -> RunId | None:
        """The run that an item goes on from: its own that was cut off, or the last that is good."""
        last = self.last_attempt(item)
        if last is not None and last.was_cut_off:
            return last.started.run if last.started.version == version else self.last_good
        return self.last_good

    def last_attempt(self, item: str) -> ItemRecord | None:
        """The last attempt at this item; None after it was removed."""
        last = next((r for r in reversed(self.records) if r.started.item == item), None)
        return None if last is None or last.is_removed else last

    @property
    def shared_fault(self) -> ItemRecord | None:
        """The last attempt, if it met a fault that the next item would meet as well; a person who
        resumes the queue has mended it. Faults of the background keep nothing from starting."""
        recent = [r for r in self.records[self.resumed_at :] if not r.started.background]
        return recent[-1] if recent and recent[-1].met_shared_fault else None

    @property
    def cost_usd(self) -> float:
        return round(sum(r.ended.cost_usd for r in self.records if r.ended is not None), 6)

    @property
    def done(self) -> int:
        """Attempts that succeeded."""
        return sum(record.succeeded for record in self.records)


def read_queue(log: Iterable[RecordedEvent]) -> QueueState:
    """The state after all events of a queue's log."""
    state = QueueState()
    for recorded in log:
        state = apply_queue_event(state, recorded)
    return state


def apply_queue_event(state: QueueState, recorded: RecordedEvent) -> QueueState:
    """The state after one more event; those of other families change nothing."""
    event = recorded.event
    match event:
        case ItemStarted() | ItemEnded() | ItemKept() | ItemRemoved() | ItemSkipped():
            return _with_item_event(state, event, recorded.at)
        case RunReopened():
            return _reopened(state, event)
        case WorkLanded():
            return replace(state, landed_at=len(state.records))
        case WaitStarted() | WaitEnded():
            return replace(state, waiting=event if isinstance(event, WaitStarted) else None)
        case _:
            return state


def _with_item_event(state: QueueState, event: _ItemEvent, at: datetime) -> QueueState:
    match event:
        case ItemStarted():
            return replace(state, records=(*state.records, ItemRecord(event)), waiting=None)
        case ItemEnded():
            return _with_end(state, event, at)
        case ItemKept():
            return _with_kept(state, event)
        case ItemRemoved(item=item):
            return _with_removed(state, item)
        case ItemSkipped():
            return apply_queue_skip(state, event)
        case _:
            assert_never(event)


def _with_end(state: QueueState, event: ItemEnded, at: datetime) -> QueueState:
    records = tuple(
        replace(record, ended=event, ended_at=at) if record.started.run == event.run else record
        for record in state.records
    )
    return replace(state, records=records)


def _with_kept(state: QueueState, event: ItemKept) -> QueueState:
    attempt = state.last_attempt(event.item)
    records = tuple(
        replace(record, kept=event) if record is attempt else record for record in state.records
    )
    return replace(state, records=records)


def _with_removed(state: QueueState, item: str) -> QueueState:
    records = tuple(
        replace(record, is_removed=True) if record.started.item == item else record
        for record in state.records
    )
    return replace(state, records=records)


def _reopened(state: QueueState, event: RunReopened) -> QueueState:
    """A retry starts what has failed or was skipped once more. What was waited for is looked at
    anew."""
    attempts = len(state.records)
    state = replace(state, resumed_at=attempts, waiting=None)
    if event.by != "retry":
        return state
    return replace(state, skipped=(), retried_at=attempts, retries=state.retries + 1)


def apply_queue_skip(state: QueueState, event: ItemSkipped) -> QueueState:
    return replace(state, skipped=(*state.skipped, event))
