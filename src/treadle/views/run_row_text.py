"""The state of a run in words, from its row in the list of runs. Loads no events."""

from datetime import datetime

from treadle.domain.ids import short_id
from treadle.domain.lifecycle import RunState
from treadle.domain.run_row import RunRow
from treadle.views.duration import MINUTE, duration
from treadle.views.safe_text import fit
from treadle.views.style import Style

# A list shows this much of a question; `treadle approvals` shows all of it.
LONGEST_QUESTION = 30

STATE_STYLES: dict[RunState, Style] = {
    "queued": "quiet",
    "running": "phase",
    "paused": "warning",
    "waiting": "signal",
    "succeeded": "good",
    "ended": "warning",
    "lost": "bad",
}


def state_text(row: RunRow, now: datetime) -> str:
    """`running`, `lost`, or why it ended, in the words of the log and of --json; with what it
    waits for."""
    match row.state:
        case "succeeded" | "ended":
            return row.reason or row.state
        case "paused" if row.until:
            return f"paused, {_time_left(row, now)} left"
        case "queued" if row.waiting_for:
            return f"queued: {row.waiting_for}"
        case "waiting" if row.waiting_for:
            return f"waiting: {fit(row.waiting_for, LONGEST_QUESTION)}"
        case _:
            return row.state


def _time_left(row: RunRow, now: datetime) -> str:
    seconds = (datetime.fromisoformat(row.until) - now).total_seconds()
    # Whole minutes, except for the last one: nobody watches the seconds of five hours.
    return duration(seconds if seconds < MINUTE else seconds // MINUTE * MINUTE)


def state_sentence(row: RunRow, *, phase: str, now: datetime) -> str:
    """The state of a run that has not ended, as the title of its details."""
    match row.state:
        case "paused":
            return f"Paused: {row.waiting_for} ({state_text(row, now)})"
        case "waiting":
            return f"Waiting for an answer: {row.waiting_for}"
        case "queued" if row.waiting_for:
            return f"Queued: {row.waiting_for}"
        case "queued":
            return "Queued: a worker takes it when there is one"
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
    # The time between an end and a reopening does not count.
    return (row.duration_s or 0.0) + (end - start).total_seconds()


def follow_up_command(row: RunRow) -> str:
    """The command that shows more of this run: live if it works, else its details."""
    name = short_id(row.id)
    return f"treadle logs {name} -f" if row.alive else f"treadle show {name}"
