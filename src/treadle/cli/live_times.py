"""The running time of runs that work, which their rows do not have before they end."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from treadle.domain.run_row import RunRow
from treadle.domain.storage import Storage
from treadle.runs.find import open_logs


def with_live_times(storage: Storage, rows: Sequence[RunRow], now: datetime) -> list[RunRow]:
    """The rows, those of live runs with the time that their logs tell."""
    if not any(row.alive for row in rows):
        return list(rows)
    # Imported here, because it loads all event types.
    from treadle.views.running_time import running_time_of

    with open_logs(storage) as logs:
        return [
            replace(
                row,
                duration_s=running_time_of(logs.outline(row.id)).until(now),
                reopened_at=now.isoformat(),
            )
            if row.alive and row.state != "following"
            else row
            for row in rows
        ]
