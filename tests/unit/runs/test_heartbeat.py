"""What a process marks while it works is what the next one counts."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from tests.builders import NOON
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.run import RoundStarted
from treadle.domain.events.session import SessionStarted
from treadle.domain.ids import RunId, SessionId
from treadle.runs.heartbeat import BEAT, beat, with_last_beat
from treadle.session.session_timer import SessionTime, SessionTimer
from treadle.workflows.loop.run_history import RunHistory, read_history

ONE = SessionId("0b6c4f7a-2f58-4b5c-9d1a-111111111111")


@pytest.fixture
def cut() -> RunHistory:
    """A run that was cut off in a session that had said nothing yet."""
    events: tuple[Event, ...] = (
        RoundStarted(1, "coding"),
        SessionStarted(ONE, "implementer", "sonnet", False),
    )
    return read_history(
        RecordedEvent(RunId("r"), seq, NOON, event) for seq, event in enumerate(events, 1)
    )


def test_a_cut_session_has_taken_what_was_marked_last(tmp_path: Path, cut: RunHistory) -> None:
    for seconds in (5.0, 90.25):
        beat(tmp_path, SessionTime(ONE, seconds))

    assert with_last_beat(cut, tmp_path).running_s == 90.25
    assert (tmp_path / BEAT).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "mark", [None, SessionTime(SessionId("another"), 90.0)], ids=["no session", "another session"]
)
def test_a_mark_of_no_session_or_another_counts_nothing(
    tmp_path: Path, cut: RunHistory, mark: SessionTime | None
) -> None:
    beat(tmp_path, SessionTime(ONE, 1234.5))
    beat(tmp_path, mark)

    assert with_last_beat(cut, tmp_path) == cut


def test_a_mark_of_an_older_version_counts_by_its_time(tmp_path: Path, cut: RunHistory) -> None:
    (tmp_path / BEAT).touch()
    alive = (NOON + timedelta(minutes=2)).timestamp()
    os.utime(tmp_path / BEAT, (alive, alive))

    assert with_last_beat(cut, tmp_path).running_s == 120.0


@pytest.mark.parametrize("text", ["garbage", "a b c", f"{ONE} soon"])
def test_a_mark_that_cannot_be_read_counts_nothing(
    tmp_path: Path, cut: RunHistory, text: str
) -> None:
    (tmp_path / BEAT).write_text(text)

    assert with_last_beat(cut, tmp_path) == cut
    assert with_last_beat(cut, tmp_path / "missing") == cut


def test_a_timer_tells_the_time_of_the_open_session_and_of_no_other() -> None:
    timer, seconds = SessionTimer(), iter((1.5, 2.5))

    with timer.measure(ONE, lambda: next(seconds)):
        told = (timer.current(), timer.current())

    assert told == (SessionTime(ONE, 1.5), SessionTime(ONE, 2.5))
    assert timer.current() is None
