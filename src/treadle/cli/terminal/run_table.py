"""Runs as aligned rows, and one run as one line. Thin: loads no events."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePath

from treadle.cli.terminal.duration import ago, duration
from treadle.cli.terminal.figures import money
from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.table import aligned
from treadle.cli.terminal.view import Line, Span
from treadle.domain.ids import short
from treadle.domain.run_row import RunRow

TITLES = ("RUN", "STARTED", "OUTCOME", "ROUNDS", "PASSED", "COST", "TIME")
# Figures are read from the right.
FLUSH_RIGHT = frozenset({3, 4, 5})


def state_words(row: RunRow) -> str:
    """`running`, `lost`, or why it ended: the same words as in the log and in --json."""
    return row.reason if row.state in ("succeeded", "ended") and row.reason else row.state


def state_style(row: RunRow) -> Style:
    """Green for success, bold for what runs now, red for a run whose process died."""
    if row.state == "succeeded":
        return "good"
    if row.state == "running":
        return "phase"
    return "bad" if row.state == "lost" else "warning"


def lasted_s(row: RunRow, now: datetime) -> float | None:
    """How long the run took or takes; nobody knows when a lost one stopped."""
    if row.state == "lost":
        return None
    end = datetime.fromisoformat(row.ended_at) if row.ended_at else now
    return (end - datetime.fromisoformat(row.started_at)).total_seconds()


def run_table(rows: Sequence[RunRow], now: datetime) -> list[Line]:
    """A heading and one line per run."""
    heading = [_quiet(title) for title in TITLES]
    return aligned([heading, *(_cells(row, now) for row in rows)], flush_right=FLUSH_RIGHT)


def run_table_with_projects(rows: Sequence[RunRow], now: datetime) -> list[Line]:
    """The same for runs of several projects: each line ends with the project's name."""
    heading = [_quiet(title) for title in (*TITLES, "PROJECT")]
    cells = [[*_cells(row, now), _quiet(PurePath(row.project_path).name)] for row in rows]
    return aligned([heading, *cells], flush_right=FLUSH_RIGHT)


def run_line(row: RunRow, now: datetime) -> Line:
    """One run in one line, for the end of `status`."""
    started = ago(datetime.fromisoformat(row.started_at), now)
    seconds = lasted_s(row, now)
    took = [] if seconds is None else [duration(seconds)]
    rest = " · ".join([f"round {row.rounds}", money(row.cost_usd), *took, f"started {started}"])
    return (
        (f"{short(row.id)} ", "strong"),
        (state_words(row), state_style(row)),
        (f" · {rest}", "quiet"),
    )


def _cells(row: RunRow, now: datetime) -> list[Span]:
    seconds = lasted_s(row, now)
    return [
        (short(row.id), "strong"),
        _quiet(ago(datetime.fromisoformat(row.started_at), now)),
        (state_words(row), state_style(row)),
        (str(row.rounds), "plain"),
        (f"{row.passed}/{row.total}", "plain"),
        (money(row.cost_usd), "plain"),
        ("-" if seconds is None else duration(seconds), "plain"),
    ]


def _quiet(text: str) -> Span:
    return text, "quiet"
