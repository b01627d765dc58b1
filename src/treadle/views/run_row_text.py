"""The state of a run in words, from its row in the list of runs. Loads no events."""

from datetime import datetime

from treadle.domain.ids import short_id
from treadle.domain.lifecycle import RunState
from treadle.domain.run_row import RunRow
from treadle.views.duration import DAY, rough_duration
from treadle.views.safe_text import fit
from treadle.views.style import Style
from treadle.views.workflow_labels import is_queue

# A list shows this much of a reason, so that a table fits 80 columns.
LONGEST_REASON = 26

STATE_STYLES: dict[RunState, Style] = {
    "queued": "quiet",
    "running": "phase",
    "paused": "warning",
    "waiting": "signal",
    "following": "phase",
    "succeeded": "good",
    "ended": "warning",
    "lost": "bad",
}


def state_text(row: RunRow, now: datetime) -> str:
    """`running`, `lost`, or why it ended; with what it waits for."""
    match row.state:
        case "succeeded" | "ended":
            return (row.reason or row.state).replace("_", " ")
        case "paused" if row.until:
            return f"paused, {_time_left(row, now)} left"
        case "following" if row.until:
            return f"following, {_time_left(row, now)} left"
        case "queued" if row.waiting_for:
            return fit(f"queued: {row.waiting_for}", LONGEST_REASON)
        case "waiting" if row.until:
            # `treadle status` and `treadle approvals` show the question.
            return f"waiting, {_time_left(row, now)} left"
        case "waiting" if row.waiting_for:
            return fit(f"waiting: {row.waiting_for}", LONGEST_REASON)
        case _:
            return row.state


def _time_left(row: RunRow, now: datetime) -> str:
    seconds = (datetime.fromisoformat(row.until) - now).total_seconds()
    return f"{seconds // DAY:.0f} days" if seconds >= 2 * DAY else rough_duration(seconds)


def state_sentence(row: RunRow, *, phase: str, now: datetime) -> str:
    """The state of a run that has not ended, as the title of its details."""
    match row.state:
        case "paused":
            return f"Paused: {row.waiting_for} ({state_text(row, now)})"
        case "following":
            return f"Following {row.waiting_for} ({state_text(row, now)})"
        case "waiting":
            left = f", {_time_left(row, now)} left" if row.until else ""
            what = "Waiting" if is_queue(row.workflow) else "Waiting for an answer"
            return f"{what}{left}: {row.waiting_for}"
        case "queued" if row.waiting_for:
            return f"Queued: {row.waiting_for}"
        case "queued":
            return "Queued: waiting for a worker"
        case _:
            return f"Running: round {row.rounds}, {phase}"


def run_time_s(row: RunRow, now: datetime) -> float | None:
    """How long the run took or takes; None for a lost one, since nobody knows when it stopped."""
    if row.state in ("lost", "queued"):
        return None
    if row.ended_at and row.duration_s is not None:
        return row.duration_s
    end = datetime.fromisoformat(row.ended_at) if row.ended_at else now
    start = datetime.fromisoformat(row.reopened_at or row.started_at)
    if row.state == "following":
        return row.duration_s
    # The time between an end and a reopening does not count.
    return (row.duration_s or 0.0) + (end - start).total_seconds()


def follow_up_command(row: RunRow) -> str:
    """The command that shows more of this run: what it asks, its live log, or its details."""
    name = short_id(row.id)
    if row.state == "waiting" and not is_queue(row.workflow):
        return "treadle approvals"
    if row.alive:
        return f"treadle logs {name} -f"
    return f"treadle report {name}" if is_queue(row.workflow) else f"treadle show {name}"
