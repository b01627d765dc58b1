"""The block that `treadle status` shows: deliverables, and the run that works on them. Thin."""

from collections.abc import Sequence
from datetime import datetime

from treadle.cli.terminal.run_table import run_line
from treadle.cli.terminal.standing import deliverable_line, proven_of, standing_of
from treadle.cli.terminal.tally_words import score
from treadle.cli.terminal.view import Line, View
from treadle.domain.deliverable import Deliverable, tally
from treadle.domain.ids import short
from treadle.domain.run_row import RunRow


def board(
    name: str, deliverables: Sequence[Deliverable], run: RunRow | None, *, now: datetime, view: View
) -> list[Line]:
    """Everything in the order in which one asks: how far, what, who works on it."""
    standings = [standing_of(each) for each in deliverables]
    done = score(tally(deliverables), proven=proven_of(standings))
    heading: Line = ((name, "strong"), (f"  {done}", "plain"))
    listed = [deliverable_line(each, view) for each in standings]
    if not deliverables:
        heading = ((name, "strong"), ("  no deliverables yet", "plain"))
    return [heading, *listed, (), *_run_lines(run, now)]


def _run_lines(run: RunRow | None, now: datetime) -> list[Line]:
    if run is None:
        return [(("no runs yet; start one with ", "quiet"), ("treadle deliver", "strong"))]
    label = "live run " if run.alive else "last run "
    follow = f"treadle logs {short(run.id)} -f" if run.alive else f"treadle show {short(run.id)}"
    return [
        ((label, "quiet"), *run_line(run, now)),
        ((" " * len(label), "plain"), (follow, "strong")),
    ]
