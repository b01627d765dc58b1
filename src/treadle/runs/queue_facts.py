"""What keeps the items of a queue from starting: other runs, the money of the day, quiet files."""

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from treadle.adapters.clock import SystemClock
from treadle.adapters.stores.database import Database
from treadle.adapters.stores.ledger import DatabaseLedger
from treadle.adapters.stores.recorder import Recorder
from treadle.domain.events.queue import ItemRemoved
from treadle.domain.events.run import RunEnded
from treadle.domain.ids import RunId, short_id
from treadle.domain.ports import Store
from treadle.gateway.metered_agent import others_today_usd
from treadle.gateway.request_handler import midnight_before
from treadle.wiring.checked_request import CheckedRequest
from treadle.workflows.queue.definition import EndQueue, WaitFor
from treadle.workflows.queue.queue_state import QueueState
from treadle.workspace.lock import find_holder

# Until another run of the project ends.
BUSY_S = 2.0
# Until files are looked at again that cannot be watched.
UNWATCHED_S = 30.0
# Of what is watched in one folder: the kernel has room for some 100,000 folders of a user.
MOST_WATCHED = 50_000


def why_not_now(
    checked: CheckedRequest, database: Database, state: QueueState, now: datetime
) -> WaitFor | None:
    """Why no item can start, whatever it is; None if one can."""
    holder = find_holder(checked.environment.root, checked.project.key)
    if holder is not None:
        other = f"run {short_id(holder.run)}" if holder.run else "another run"
        until = now + timedelta(seconds=BUSY_S)
        return WaitFor("busy", f"{other} works on this project", until)
    limit, request = checked.settings.limits.day_cost_usd, checked.request
    ledger = DatabaseLedger(database)
    spent_usd = others_today_usd(ledger, request.run, now, rehearsal=request.rehearsal)
    if spent_usd < limit and not has_spent_today(state, now):
        return None
    text = f"all runs together may cost ${limit:.2f} a day (limits.day_cost_usd)"
    # A day has 23 to 25 hours.
    tomorrow = midnight_before(midnight_before(now) + timedelta(hours=36))
    return WaitFor("day_limit", text, tomorrow.astimezone(UTC))


def has_spent_today(state: QueueState, now: datetime) -> bool:
    """Whether an item has ended by the limit of this day since a person last resumed the queue. It
    counts whatever the limit is here: each run reads the settings anew, and could end so at once,
    again and again."""
    ends = (each.ended_at for each in state.records[state.resumed_at :] if each.met_day_limit)
    return any(at is not None and at >= midnight_before(now) for at in ends)


def why_not_named(name: str, recorder: Recorder) -> EndQueue | None:
    """Why an item of this name cannot start: its log would call it otherwise, so its end would be
    that of no item, and it would be done again and again."""
    if recorder.stores_unchanged(ItemRemoved(name)):
        return None
    reason = "the name of an item looks like a secret, or is not text"
    return EndQueue("error", f"{reason}: {name[:4]!a}… (rename it)")


def background_today_usd(checked: CheckedRequest, database: Database, state: QueueState) -> float:
    """What the items of the queue in the background have cost since midnight."""
    ledger, since = DatabaseLedger(database), midnight_before(SystemClock().now())
    runs = [record.started.run for record in state.records if record.started.background]
    rehearsal = checked.request.rehearsal
    return sum(ledger.spent(run, since=since, rehearsal=rehearsal).run_usd for run in runs)


def running_s(store: Store, run: RunId, now: datetime) -> float:
    """How long processes have worked on the queue, without the time between its legs."""
    earlier_s, since = 0.0, now
    for recorded in store.read(run, types=("run.started", "run.reopened", "run.ended")):
        since = recorded.at
        if isinstance(recorded.event, RunEnded):
            earlier_s, since = recorded.event.result.duration_s, now
    return earlier_s + (now - since).total_seconds()


async def wait_for_changes(paths: Sequence[Path]) -> None:
    """Return once something at or below one of these paths has changed, or after a while if not
    all of them can be watched.

    What is not there yet is noticed by its directory.
    """
    # Imported here, because few commands wait for files.
    from watchfiles import awatch

    existing = {_existing(path) for path in paths}
    watched = [path for path in existing if await asyncio.to_thread(is_watchable, path)]
    limit = None if len(watched) == len(existing) else UNWATCHED_S
    with suppress(TimeoutError):
        async with asyncio.timeout(limit):
            with suppress(OSError):  # a folder without rights, or more than the kernel watches
                async for _ in awatch(*watched, debounce=200, step=50):
                    return
            await asyncio.sleep(UNWATCHED_S)


def is_watchable(path: Path) -> bool:
    """Whether watching a path is watching the project: links to folders are followed, and one may
    lead to all files of the machine."""
    if path.is_symlink():
        return False
    top, entries = path.resolve(), 0
    for folder, names, files in os.walk(path):
        entries += len(names) + len(files)
        links = (Path(folder, name) for name in names)
        if entries > MOST_WATCHED or any(
            each.is_symlink() and not each.resolve().is_relative_to(top) for each in links
        ):
            return False
    return True


def _existing(path: Path) -> Path:
    while not path.exists():
        path = path.parent
    return path
