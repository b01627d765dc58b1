"""Runs as a table (`ls`) and as one line below the deliverables (`status`). Loads no events."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePath

from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.styled_lines import Line, RenderOptions, Span
from treadle.cli.terminal.table import align_columns
from treadle.domain.deliverable import Deliverable, tally
from treadle.domain.ids import short_id
from treadle.domain.lifecycle import RunState
from treadle.domain.run_row import RunRow
from treadle.views.deliverable_view import count_proven, deliverable_line, make_deliverable_view
from treadle.views.duration import MINUTE, ago, duration
from treadle.views.figures import money
from treadle.views.safe_text import fit
from treadle.views.tally_text import tally_text

TITLES = ("RUN", "STARTED", "OUTCOME", "ROUNDS", "PASSED", "COST", "TIME")
# Figures are read from the right.
FLUSH_RIGHT = frozenset({3, 4, 5})
# So much of a question stands in a list; `treadle approvals` has the whole.
LONGEST_QUESTION = 30
STYLES: dict[RunState, Style] = {
    "queued": "quiet",
    "running": "phase",
    "paused": "warning",
    "waiting": "signal",
    "succeeded": "good",
    "ended": "warning",
    "lost": "bad",
}


def state_text(row: RunRow, now: datetime) -> str:
    """`running`, `lost`, or why it ended: the same words as in the log and in --json; with what it
    waits for."""
    match row.state:
        case "succeeded" | "ended":
            return row.reason or row.state
        case "paused" if row.until:
            return f"paused, {_left(row, now)} left"
        case "waiting" if row.waiting_for:
            return f"waiting: {fit(row.waiting_for, LONGEST_QUESTION)}"
        case _:
            return row.state


def _left(row: RunRow, now: datetime) -> str:
    seconds = (datetime.fromisoformat(row.until) - now).total_seconds()
    # Whole minutes, but for the last one: nobody watches the seconds of five hours.
    return duration(seconds if seconds < MINUTE else seconds // MINUTE * MINUTE)


def state_style(row: RunRow) -> Style:
    """Green for success, bold for what runs now, red for a run whose process died."""
    return STYLES[row.state]


def run_time_s(row: RunRow, now: datetime) -> float | None:
    """How long the run took or takes; nobody knows when a lost one stopped."""
    if row.state in ("lost", "queued"):
        return None
    if row.ended_at and row.duration_s is not None:
        return row.duration_s
    end = datetime.fromisoformat(row.ended_at) if row.ended_at else now
    begun = datetime.fromisoformat(row.reopened_at or row.started_at)
    # What lies between an end and a reopening is nobody's time.
    return (row.duration_s or 0.0) + (end - begun).total_seconds()


def run_table(rows: Sequence[RunRow], now: datetime) -> list[Line]:
    """A heading and one line per run."""
    heading = [_quiet(title) for title in TITLES]
    return align_columns([heading, *(_cells(row, now) for row in rows)], flush_right=FLUSH_RIGHT)


def run_table_with_projects(rows: Sequence[RunRow], now: datetime) -> list[Line]:
    """The same for runs of several projects: each line ends with the project's name."""
    heading = [_quiet(title) for title in (*TITLES, "PROJECT")]
    cells = [[*_cells(row, now), _quiet(PurePath(row.project_path).name)] for row in rows]
    return align_columns([heading, *cells], flush_right=FLUSH_RIGHT)


def run_line(row: RunRow, now: datetime) -> Line:
    """One run in one line, for the end of `status`."""
    started = ago(datetime.fromisoformat(row.started_at), now)
    seconds = run_time_s(row, now)
    took = [] if seconds is None else [duration(seconds)]
    rest = " · ".join([f"round {row.rounds}", money(row.cost_usd), *took, f"started {started}"])
    return (
        (f"{short_id(row.id)} ", "strong"),
        (state_text(row, now), state_style(row)),
        (f" · {rest}", "quiet"),
    )


def _cells(row: RunRow, now: datetime) -> list[Span]:
    seconds = run_time_s(row, now)
    return [
        (short_id(row.id), "strong"),
        _quiet(ago(datetime.fromisoformat(row.started_at), now)),
        (state_text(row, now), state_style(row)),
        (str(row.rounds), "plain"),
        (f"{row.passed}/{row.total}", "plain"),
        (money(row.cost_usd), "plain"),
        ("-" if seconds is None else duration(seconds), "plain"),
    ]


def _quiet(text: str) -> Span:
    return text, "quiet"


def status_block(
    name: str,
    deliverables: Sequence[Deliverable],
    run: RunRow | None,
    *,
    now: datetime,
    view: RenderOptions,
) -> list[Line]:
    """Everything in the order in which one asks: how far, what, who works on it."""
    standings = [make_deliverable_view(each) for each in deliverables]
    done = tally_text(tally(deliverables), proven=count_proven(standings))
    heading: Line = ((name, "strong"), (f"  {done}", "plain"))
    listed = [deliverable_line(each, view) for each in standings]
    if not deliverables:
        heading = ((name, "strong"), ("  no deliverables yet", "plain"))
    return [heading, *listed, (), *_run_lines(run, now)]


def _run_lines(run: RunRow | None, now: datetime) -> list[Line]:
    if run is None:
        return [(("no runs yet; start one with ", "quiet"), ("treadle deliver", "strong"))]
    label = "live run " if run.alive else "last run "
    follow = (
        f"treadle logs {short_id(run.id)} -f" if run.alive else f"treadle show {short_id(run.id)}"
    )
    return [
        ((label, "quiet"), *run_line(run, now)),
        ((" " * len(label), "plain"), (follow, "strong")),
    ]
