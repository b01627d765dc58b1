"""The items of a watched backlog: looks at the files, settles what ended, waits for changes."""

import asyncio
from datetime import datetime
from typing import assert_never

from treadle.domain.events.queue import ItemKept, ItemRemoved
from treadle.workflows.queue.definition import QueueParts, QueueStep
from treadle.workflows.queue.queue_state import ItemRecord, QueueState
from treadle.workflows.watch.backlog import (
    BACKLOG,
    ISSUES,
    BacklogItem,
    BacklogView,
    forget_reason,
    is_there,
    look_at,
    remove_item,
    restore_items,
    write_reason,
)
from treadle.workflows.watch.next_step import (
    KeepItem,
    RemoveItem,
    RetryItem,
    WatchRules,
    is_ready,
    next_step,
    settle,
)


class WatchedBacklog:
    """The `QueueSource` of `watch`."""

    def __init__(self, parts: QueueParts) -> None:
        self._parts = parts
        self._state = QueueState()

    async def next_step(self, state: QueueState, now: datetime) -> QueueStep:
        self._state = state
        restore_items(self._parts.project)
        for item in (await self._look()).items:
            last = state.last_attempt(item.name)
            if last is not None and last.ended is not None:
                self._settle(last, item)
        self._record_removed(state)
        view, rules = await self._look(), self._rules()
        # For an audit alone: git reads all changed files for it.
        tree = await self._parts.checkout_tree() if rules.audit else ""
        return next_step(view, state, rules, now, tree)

    async def wait_for_change(self) -> None:
        project, specs = self._parts.project, self._parts.specs
        await self._parts.changed((project / BACKLOG, project / ISSUES, project / specs))

    async def wait_for_work(self) -> None:
        while True:
            # First, so that no change is missed between the look and the wait.
            changed = asyncio.ensure_future(self.wait_for_change())
            try:
                if any(is_ready(item, self._state) for item in (await self._look()).items):
                    return
                await changed
            finally:
                changed.cancel()

    async def _look(self) -> BacklogView:
        return await asyncio.to_thread(look_at, self._parts.project, self._parts.specs)

    def _rules(self) -> WatchRules:
        options = self._parts.options
        return WatchRules(
            debounce_s=options.debounce_s,
            once=bool(self._parts.inputs.get("once")),
            audit=options.audit,
            audit_usd=options.audit_daily_usd - self._parts.background_today_usd(),
        )

    def _record_removed(self, state: QueueState) -> None:
        """Of what is done, files that a person removed, or a process that ended right after it."""
        for record in state.records:
            item, run = record.started.item, record.started.run
            is_done = record.succeeded and not record.started.background
            if is_done and not record.is_removed and not is_there(self._parts.project, item):
                self._parts.record(ItemRemoved(item), f"removed {run}")

    def _settle(self, record: ItemRecord, item: BacklogItem) -> None:
        """Act on the last attempt; safe to repeat."""
        project, run = self._parts.project, record.started.run
        match settle(record, item):
            case RemoveItem():
                if remove_item(project, item):
                    self._parts.record(ItemRemoved(item.name), f"removed {run}")
            case KeepItem(reason=reason, failed=failed):
                if record.kept is not None:
                    return
                path = write_reason(project, item.name, reason) if failed else ""
                if not failed:
                    forget_reason(project, item.name)
                kept = ItemKept(item.name, item.version, reason, path)
                self._parts.record(kept, f"kept {run}")
            case RetryItem():
                pass
            case unreachable:
                assert_never(unreachable)
