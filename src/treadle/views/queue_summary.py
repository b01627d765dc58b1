"""A queue as people and programs read it: the result of each item, and of all together. Pure."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from treadle.domain.events.queue import ItemSkipped
from treadle.domain.exit_reasons import INTERRUPTED, exit_code
from treadle.domain.ids import short_id
from treadle.views.duration import duration
from treadle.views.facts import Fact
from treadle.views.figures import money, pluralize, short_commit
from treadle.views.log_state import LogState
from treadle.views.safe_text import one_spaced, sanitize
from treadle.views.style import Style
from treadle.workflows.queue.queue_state import ItemRecord, QueueState

ItemStatus = Literal["done", "failed", "interrupted", "skipped", "working"]

STATUS_STYLES: dict[ItemStatus, Style] = {
    "done": "good",
    "failed": "bad",
    "interrupted": "warning",
    "skipped": "warning",
    "working": "phase",
}
# Those a person looks at first.
_ORDER: tuple[ItemStatus, ...] = ("failed", "skipped", "interrupted", "working", "done")
# More items than one reads; `treadle report RUN` has a paragraph for each run.
ITEMS_MOST = 20


@dataclass(frozen=True, slots=True)
class ItemEntry:
    """The last attempt at one item."""

    name: str
    title: str
    status: ItemStatus
    # Why it is not done.
    reason: str = ""
    # The short id of its run; empty if it was never started.
    run: str = ""
    attempts: int = 0
    rounds: int = 0
    cost_usd: float = 0.0
    running_s: float = 0.0
    # `landed at 31700a47`; empty if that is not known.
    work: str = ""


@dataclass(frozen=True, slots=True)
class QueueSummary:
    """All items by their last attempt, what takes a person first; the sums of all attempts."""

    items: tuple[ItemEntry, ...]
    rounds: int
    cost_usd: float
    running_s: float
    # Runs beside the items, such as audits.
    background: int

    def count(self, status: ItemStatus) -> int:
        return sum(each.status == status for each in self.items)

    @property
    def counts_text(self) -> str:
        """`3 done, 1 failed`; empty without items."""
        counts = Counter(each.status for each in self.items)
        return ", ".join(
            f"{counts[name]} {word}" for name, word in STATUS_WORDS.items() if counts[name]
        )


STATUS_WORDS: dict[ItemStatus, str] = {
    "done": "done",
    "failed": "failed",
    "interrupted": "interrupted",
    "skipped": "skipped",
    "working": "at work",
}


def summarize_queue(queue: QueueState) -> QueueSummary:
    """The summary of a queue in any state."""
    records = queue.records
    entries = {
        record.started.item: _entry(record, number, queue)
        for number, record in enumerate(records)
        if not record.started.background
    }
    entries |= {each.item: _skipped(each) for each in queue.skipped}
    ended = [record.ended for record in records if record.ended is not None]
    return QueueSummary(
        items=tuple(sorted(entries.values(), key=lambda each: _ORDER.index(each.status))),
        rounds=sum(each.rounds for each in ended),
        cost_usd=queue.cost_usd,
        running_s=sum(each.running_s for each in ended),
        background=sum(record.started.background for record in records),
    )


def _entry(record: ItemRecord, number: int, queue: QueueState) -> ItemEntry:
    started = record.started
    attempts = [each for each in queue.records if each.started.item == started.item]
    ends = [each.ended for each in attempts if each.ended is not None]
    return ItemEntry(
        name=started.item,
        title=started.title,
        status=_status(record),
        reason=_reason(record),
        run=short_id(started.run),
        attempts=len(attempts),
        rounds=sum(each.rounds for each in ends),
        cost_usd=round(sum(each.cost_usd for each in ends), 6),
        running_s=sum(each.running_s for each in ends),
        work=_work_text(record, has_landed_later=number < queue.landed_at),
    )


def _work_text(record: ItemRecord, *, has_landed_later: bool) -> str:
    if record.ended is None or not record.succeeded or record.ended.landed is None:
        return ""
    if record.ended.landed:
        return f"landed at {short_commit(record.ended.landed)}"
    return "landed later" if has_landed_later else "not in your checkout yet"


def _status(record: ItemRecord) -> ItemStatus:
    if record.ended is None:
        return "working"
    if record.succeeded:
        return "done"
    return "interrupted" if exit_code(record.ended.reason) == INTERRUPTED else "failed"


def _reason(record: ItemRecord) -> str:
    if record.ended is None or record.succeeded:
        return ""
    reason, message = record.ended.reason.replace("_", " "), record.ended.message
    if reason == STATUS_WORDS[_status(record)]:
        return message
    return f"{reason}: {message}" if message else reason


def _skipped(skip: ItemSkipped) -> ItemEntry:
    return ItemEntry(skip.item, "", "skipped", skip.reason)


def item_text(entry: ItemEntry) -> str:
    """`done 0001-add · landed at 31700a47 · 3 rounds · $0.12 · 5s`."""
    return f"{STATUS_WORDS[entry.status]} {item_details(entry)}"


def item_details(entry: ItemEntry) -> str:
    """The same without its status."""
    parts = [one_spaced(sanitize(entry.name))]
    if entry.reason:
        parts.append(one_spaced(sanitize(entry.reason)))
    if entry.work:
        parts.append(entry.work)
    if entry.attempts > 1:
        parts.append(pluralize(entry.attempts, "attempt"))
    if entry.rounds:
        used = (pluralize(entry.rounds, "round"), money(entry.cost_usd), duration(entry.running_s))
        parts.extend(used)
    return " · ".join(parts)


def waiting_commands(queue: QueueState, run: str) -> tuple[str, ...]:
    """What to type if the queue waits for a person; empty if it does not."""
    if queue.waiting is None or not queue.waiting.needs_person:
        return ()
    match queue.waiting.reason:
        case "spec_issue":
            return ("treadle discuss",)
        case "items_left":
            return ("ls .treadle/backlog",)
        case _:
            return ("treadle doctor", f"treadle logs {run}")


def queue_facts(state: LogState) -> list[Fact]:
    """What the summary and the details of a queue list, in place of the facts of work."""
    summary = summarize_queue(state.queue)
    shown, hidden = summary.items[:ITEMS_MOST], len(summary.items) - ITEMS_MOST
    return [
        Fact("items", summary.counts_text or "none was started"),
        *(Fact("", item_text(each), STATUS_STYLES[each.status]) for each in shown),
        *([Fact("", f"and {hidden} more")] if hidden > 0 else []),
        *([Fact("audits", str(summary.background))] if summary.background else []),
        Fact("rounds", f"{summary.rounds}, of all items"),
        Fact("cost", f"{money(summary.cost_usd)}, of all items"),
        *_waiting_facts(state),
    ]


def _waiting_facts(state: LogState) -> Iterator[Fact]:
    waiting = state.queue.waiting
    if waiting is not None and state.result is None:
        style: Style = "signal" if waiting.needs_person else "plain"
        yield Fact("waits", sanitize(waiting.text), style)
