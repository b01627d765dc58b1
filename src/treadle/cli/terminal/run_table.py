"""Runs as a table (`ls`) and as one line below the deliverables (`status`). Loads no events."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePath

from treadle.cli.terminal.deliverable_line import deliverable_lines
from treadle.cli.terminal.styled_lines import Line, RenderOptions, Span
from treadle.cli.terminal.table import align_columns
from treadle.cli.terminal.waiting_lines import waiting_lines
from treadle.domain.deliverable import Deliverable, tally
from treadle.domain.ids import short_id
from treadle.domain.run_row import RunRow
from treadle.views.deliverable_view import make_deliverable_view, passed_grades
from treadle.views.duration import ago, duration
from treadle.views.figures import money
from treadle.views.run_row_text import STATE_STYLES, follow_up_command, run_time_s, state_text
from treadle.views.tally_text import tally_text
from treadle.views.waiting import WaitingEntry
from treadle.views.workflow_labels import is_queue

TITLES = ("RUN", "STARTED", "OUTCOME", "ROUNDS", "PASSED", "COST", "TIME")
# Figures are read from the right.
FLUSH_RIGHT = frozenset({3, 4, 5})


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
    # Those of a queue are with its items.
    used = [] if is_queue(row.workflow) else [f"round {row.rounds}", money(row.cost_usd)]
    rest = " · ".join([*used, *took, f"started {started}"])
    return (
        (f"{short_id(row.id)} ", "strong"),
        (state_text(row, now), STATE_STYLES[row.state]),
        (f" · {rest}", "quiet"),
    )


def _cells(row: RunRow, now: datetime) -> list[Span]:
    seconds = run_time_s(row, now)
    used = (str(row.rounds), f"{row.passed}/{row.total}", money(row.cost_usd))
    return [
        (short_id(row.id), "strong"),
        _quiet(ago(datetime.fromisoformat(row.started_at), now)),
        (state_text(row, now), STATE_STYLES[row.state]),
        # Those of a queue are with its items.
        *(("-" if is_queue(row.workflow) else text, "plain") for text in used),
        ("-" if seconds is None else duration(seconds), "plain"),
    ]


def _quiet(text: str) -> Span:
    return text, "quiet"


def status_block(
    name: str,
    deliverables: Sequence[Deliverable],
    run: RunRow | None,
    waiting: Sequence[WaitingEntry] = (),
    *,
    now: datetime,
    options: RenderOptions,
) -> list[Line]:
    """Everything in the order in which one asks: what waits for me, how far, what, who works."""
    views = [make_deliverable_view(each) for each in deliverables]
    done = tally_text(tally(deliverables), passed_grades(views))
    heading: Line = ((name, "strong"), (f"  {done}", "plain"))
    listed = [line for each in views for line in deliverable_lines(each, options)]
    if not deliverables:
        heading = ((name, "strong"), ("  no deliverables yet", "plain"))
    waits = [line for each in waiting for line in waiting_lines(each, options)]
    top: list[Line] = [(("Waits for you", "phase"),), *waits, ()] if waits else []
    return [*top, heading, *listed, (), *_run_lines(run, now)]


def _run_lines(run: RunRow | None, now: datetime) -> list[Line]:
    if run is None:
        return [(("no runs yet; start one with ", "quiet"), ("treadle deliver", "strong"))]
    label = "live run " if run.alive else "last run "
    return [
        ((label, "quiet"), *run_line(run, now)),
        ((" " * len(label), "plain"), (follow_up_command(run), "strong")),
    ]
