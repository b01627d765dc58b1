"""The state of a run and how long it took, from its row in the list of runs."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.builders import NOON, RUN
from treadle.domain.lifecycle import RunState
from treadle.domain.run_row import RunRow
from treadle.views.run_row_text import follow_up_command, run_time_s, state_sentence, state_text

LATER = NOON + timedelta(hours=3)
AT_TWO = (NOON + timedelta(hours=2)).isoformat()
ROW = RunRow(
    id=RUN,
    workflow="deliver",
    project_path="/home/ada/calc",
    project_key="5e884898da28",
    state="running",
    reason="",
    sandbox="sandboxed",
    rehearsal=0,
    planned="",
    started_at=NOON.isoformat(),
    ended_at="",
    rounds=2,
    passed=0,
    blocked=0,
    total=2,
    cost_usd=0.21,
    branch="",
    snapshot="",
    landed="",
)


def waiting_until(moment: datetime, state: RunState) -> RunRow:
    return replace(ROW, state=state, until=moment.isoformat(), waiting_for="Land 2 commits?")


@pytest.mark.parametrize(
    ("changes", "seconds"),
    [
        ({"state": "succeeded", "ended_at": AT_TWO, "duration_s": 90.5}, 90.5),
        ({"state": "ended", "ended_at": AT_TWO}, 7200.0),  # ended before its duration was kept
        ({"state": "running"}, 3 * 3600.0),
        ({"state": "running", "duration_s": 90.5, "reopened_at": AT_TWO}, 3690.5),
        ({"state": "lost", "duration_s": 90.5, "reopened_at": AT_TWO}, None),
        ({"state": "queued"}, None),
    ],
)
def test_the_time_of_a_run_is_that_of_its_summary(
    changes: dict[str, Any], seconds: float | None
) -> None:
    assert run_time_s(replace(ROW, **changes), LATER) == seconds


@pytest.mark.parametrize(
    ("row", "text", "sentence"),
    [
        (ROW, "running", "Running: round 2, coding"),
        (
            replace(ROW, state="queued"),
            "queued",
            "Queued: waiting for a worker",
        ),
        (
            replace(ROW, state="queued", waiting_for="needs its login"),
            "queued: needs its login",
            "Queued: needs its login",
        ),
        (
            waiting_until(LATER + timedelta(minutes=90, seconds=5), "paused"),
            "paused, 1h 30m left",
            "Paused: Land 2 commits? (paused, 1h 30m left)",
        ),
        (
            waiting_until(LATER + timedelta(minutes=19, seconds=58), "waiting"),
            "waiting, 19m left",
            "Waiting for an answer, 19m left: Land 2 commits?",
        ),
    ],
)
def test_a_run_that_has_not_ended_is_described_in_a_word_and_in_a_sentence(
    row: RunRow, text: str, sentence: str
) -> None:
    assert (state_text(row, LATER), state_sentence(row, phase="coding", now=LATER)) == (
        text,
        sentence,
    )


def test_a_run_that_ended_is_described_by_its_reason() -> None:
    assert state_text(replace(ROW, state="ended", reason="stuck"), LATER) == "stuck"


@pytest.mark.parametrize(
    ("state", "command"), [("running", "treadle logs {} -f"), ("ended", "treadle show {}")]
)
def test_a_live_run_is_followed_and_any_other_is_shown(state: RunState, command: str) -> None:
    assert follow_up_command(replace(ROW, state=state)) == command.format(RUN[-8:])


def test_an_ended_queue_is_reported() -> None:
    queue = replace(ROW, workflow="watch", state="succeeded")

    assert follow_up_command(queue) == f"treadle report {RUN[-8:]}"
