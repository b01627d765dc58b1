"""The block that `treadle status` shows: deliverables, and the run that works on them. Thin."""

from collections.abc import Sequence
from datetime import datetime

from treadle.cli.terminal.run_table import run_line
from treadle.cli.terminal.standing import Standing, deliverable_line
from treadle.cli.terminal.tally_words import proof_of, score
from treadle.cli.terminal.view import Line, View
from treadle.domain.deliverable import Deliverable, tally
from treadle.domain.ids import short
from treadle.domain.run_row import RunRow


def board(
    name: str, deliverables: Sequence[Deliverable], run: RunRow | None, *, now: datetime, view: View
) -> list[Line]:
    """Everything in the order in which one asks: how far, what, who works on it."""
    heading: Line = ((name, "strong"), (f"  {score(tally(deliverables))}", "plain"))
    listed = [deliverable_line(_standing(each), view) for each in deliverables]
    if not deliverables:
        heading = ((name, "strong"), ("  no deliverables yet", "plain"))
    return [heading, *listed, (), *_run_lines(run, now)]


def _standing(deliverable: Deliverable) -> Standing:
    proof = proof_of(deliverable.status)
    return Standing(deliverable.id, deliverable.description, deliverable.status, proof)


def _run_lines(run: RunRow | None, now: datetime) -> list[Line]:
    if run is None:
        return [(("no runs yet; start one with ", "quiet"), ("treadle deliver", "strong"))]
    label = "live run " if run.alive else "last run "
    follow = f"treadle logs {short(run.id)} -f" if run.alive else f"treadle show {short(run.id)}"
    return [
        ((label, "quiet"), *run_line(run, now)),
        ((" " * len(label), "plain"), (follow, "strong")),
    ]
