"""What becomes of an attempt at an item, and what a watched backlog does next. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from treadle.workflows.queue.definition import EndQueue, QueueItem, QueueStep, StartItem, WaitFor
from treadle.workflows.queue.queue_state import ItemRecord, QueueState
from treadle.workflows.watch.backlog import FAILED, BacklogItem, BacklogView

# Until a fault that all items share is looked at again.
FAULT_S = 900.0
AUDIT = "audit"
MOST_NAMES = 3


@dataclass(frozen=True, slots=True)
class WatchRules:
    """The settings of a watch."""

    debounce_s: float
    once: bool = False
    audit: bool = False
    # What audits may cost today from now on.
    audit_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class RemoveItem:
    """It is done, and the file is as it was."""


@dataclass(frozen=True, slots=True)
class KeepItem:
    """It stays; `reason` says why. A failure is written beside it."""

    reason: str
    failed: bool


@dataclass(frozen=True, slots=True)
class RetryItem:
    """It stays, and is done again as soon as something allows that."""


Settlement: TypeAlias = RemoveItem | KeepItem | RetryItem


def settle(record: ItemRecord, item: BacklogItem) -> Settlement:
    """What becomes of the item after its last attempt, which has ended."""
    ended = record.ended
    if ended is None or record.met_shared_fault or record.was_cut_off:
        return RetryItem()
    if ended.reason == "spec_issue":
        return RetryItem()
    if ended.version != item.version:
        return KeepItem("it was changed while it was worked on: it is done again", failed=False)
    if record.succeeded:
        return RemoveItem()
    return KeepItem(
        f"{ended.reason}: {ended.message}" if ended.message else ended.reason, failed=True
    )


def next_step(
    view: BacklogView, state: QueueState, rules: WatchRules, now: datetime, tree: str
) -> QueueStep:
    """The first item that can be done, or why there is none. `tree` is what the checkout holds."""
    if view.issues:
        return _wait_for_issues(view.issues, rules)
    if (fault := _shared_fault(state, rules, now)) is not None:
        return fault
    if (quiet := _quiet_until(view, rules, now)) is not None:
        return WaitFor("quiet", "files have just been changed", until=quiet)
    ready = [item for item in view.items if is_ready(item, state)]
    if ready:
        return StartItem(_run_of(ready[0]))
    return _end(view, state) if rules.once else _idle(view, state, rules, tree)


def _end(view: BacklogView, state: QueueState) -> EndQueue:
    if view.items:
        return EndQueue("items_left", _failed_text(view))
    return EndQueue("queue_done", f"{state.done} of {len(state.records)} runs succeeded")


def _idle(view: BacklogView, state: QueueState, rules: WatchRules, tree: str) -> QueueStep:
    if _must_audit(state, rules, tree):
        return StartItem(_audit(rules, tree))
    if view.items:
        return WaitFor("items_left", _failed_text(view), needs_person=True)
    return WaitFor("empty", "the backlog is empty: put a file NAME.md into .treadle/backlog")


def is_ready(item: BacklogItem, state: QueueState) -> bool:
    """Whether the item is new, was changed, or its reason was taken away."""
    last = state.last_attempt(item.name)
    if last is None or last.ended is None or last.ended.version != item.version:
        return True
    failed = isinstance(settlement := settle(last, item), KeepItem) and settlement.failed
    return not (failed and item.has_reason)


def _wait_for_issues(issues: tuple[str, ...], rules: WatchRules) -> QueueStep:
    names = _names(issues)
    text = f"the specifications need you: {names} (treadle discuss)"
    if rules.once:
        return EndQueue("spec_issue", text)
    return WaitFor("spec_issue", text, needs_person=True)


def _shared_fault(state: QueueState, rules: WatchRules, now: datetime) -> QueueStep | None:
    fault = state.shared_fault
    if fault is None or fault.ended is None or fault.ended_at is None:
        return None
    ended, until = fault.ended, fault.ended_at + timedelta(seconds=FAULT_S)
    if rules.once:
        return EndQueue(ended.reason, ended.message)
    if until <= now:
        return None
    text = f"{ended.item} ended with {ended.reason}: {ended.message}"
    return WaitFor("paused", text, until, needs_person=True)


def _quiet_until(view: BacklogView, rules: WatchRules, now: datetime) -> datetime | None:
    """When the files have been quiet for long enough; None if they have."""
    if view.changed_at is None or rules.once or view.changed_at > now:
        return None
    quiet = view.changed_at + timedelta(seconds=rules.debounce_s)
    return quiet if quiet > now else None


def _must_audit(state: QueueState, rules: WatchRules, tree: str) -> bool:
    """Whether nothing has compared this state of code and specifications yet."""
    if not rules.audit or rules.audit_usd <= 0:
        return False
    last = state.last_attempt(AUDIT)
    if last is None or last.ended is None or last.started.version != tree:
        return True
    return last.ended.reason in ("cancelled", "interrupted")


def _run_of(item: BacklogItem) -> QueueItem:
    title = next((line.strip("# ") for line in item.text.splitlines() if line.strip()), item.name)
    return QueueItem(item.name, item.version, "focus", {"words": item.text}, title[:80])


def _audit(rules: WatchRules, tree: str) -> QueueItem:
    return QueueItem(
        AUDIT,
        tree,
        AUDIT,
        {},
        "compare the code with the specifications",
        background=True,
        flags={"limits.max_cost_usd": round(rules.audit_usd, 4)},
    )


def _failed_text(view: BacklogView) -> str:
    names = _names(tuple(item.name for item in view.items))
    return f"not done: {names}; change an item, or remove its {FAILED}, to try it again"


def _names(names: tuple[str, ...]) -> str:
    more = len(names) - MOST_NAMES
    listed = ", ".join(names[:MOST_NAMES])
    return f"{listed} and {more} more" if more > 0 else listed
