"""Each session has a file with its events, of a stable name and a bounded size."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from tests.builders import NOON, RUN
from treadle.adapters.stores import session_logs
from treadle.adapters.stores.session_logs import SessionLogs, session_log
from treadle.domain.events.agent import AgentSpoke
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.run import RoundStarted
from treadle.domain.events.session import SessionEnded, SessionStarted
from treadle.domain.ids import SessionId
from treadle.domain.session import Completed, SessionResult
from treadle.domain.usage import Usage

FIRST, SECOND = SessionId("5e3f0c1a"), SessionId("7b1d22e9")


def started(session: SessionId, *, resumed: bool = False) -> SessionStarted:
    return SessionStarted(session, "implementer", "sonnet", resumed)


def ended(session: SessionId) -> SessionEnded:
    return SessionEnded(SessionResult(session, Completed(""), 0.1, Usage(), 1, 2.0))


def read(directory: Path, *events: Event) -> None:
    logs = SessionLogs(directory)
    for number, event in enumerate(events, 1):
        logs.read_event(RecordedEvent(RUN, number, NOON + timedelta(seconds=number), event))
    logs.close()


def types_in(directory: Path, session: SessionId) -> list[str]:
    lines = session_log(directory, session).read_text().splitlines()
    return [line.split(" ", 3)[2] for line in lines]


def test_a_file_has_the_events_of_its_session_and_no_others(tmp_path: Path) -> None:
    round_two, hello = RoundStarted(2, "coding"), AgentSpoke("Hello")
    read(tmp_path, started(FIRST), hello, ended(FIRST), round_two, started(SECOND), ended(SECOND))

    assert types_in(tmp_path, FIRST) == ["session.started", "agent.spoke", "session.ended"]
    assert types_in(tmp_path, SECOND) == ["session.started", "session.ended"]
    spoken = session_log(tmp_path, FIRST).read_text().splitlines()[1]
    assert spoken.startswith(
        f"{(NOON + timedelta(seconds=2)).isoformat(timespec='milliseconds')} 2 "
    )
    assert '"Hello"' in spoken


def test_a_session_that_goes_on_in_another_process_goes_on_in_its_file(tmp_path: Path) -> None:
    read(tmp_path, started(FIRST), AgentSpoke("Hello"))
    read(tmp_path, started(FIRST, resumed=True), ended(FIRST))

    assert types_in(tmp_path, FIRST) == [
        *("session.started", "agent.spoke"),
        *("session.started", "session.ended"),
    ]


def test_only_its_owner_reads_a_file(tmp_path: Path) -> None:
    read(tmp_path, started(FIRST), ended(FIRST))

    assert session_log(tmp_path, FIRST).stat().st_mode & 0o077 == 0


def test_long_lines_are_cut_and_a_full_file_says_where_the_rest_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_logs, "MOST_OF_A_FILE", 20_000)

    read(tmp_path, started(FIRST), *[AgentSpoke("x" * 100_000)] * 9, ended(FIRST))

    *_, spoken, last = session_log(tmp_path, FIRST).read_text().splitlines()
    assert spoken.endswith("xxx...")
    assert last == f"This file is full; all events: treadle logs {RUN} --json"
    assert session_log(tmp_path, FIRST).stat().st_size < 21_000


def test_a_directory_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    read(tmp_path / "missing", started(FIRST), AgentSpoke("Hello"), ended(FIRST))

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("sign", ["\x9b31m", "\x7f", "\u202e", "\u200b", "\u2028", "\U000e0041"])
def test_nothing_in_a_file_moves_the_cursor_of_who_reads_it(tmp_path: Path, sign: str) -> None:
    read(tmp_path, started(FIRST), AgentSpoke(f"Grüße {sign}"), ended(FIRST))

    text = session_log(tmp_path, FIRST).read_text()
    assert all(line.isprintable() for line in text.removesuffix("\n").split("\n"))
    spoken = text.split("\n")[1]
    assert json.loads(spoken[spoken.index("{") :])["text"] == f"Grüße {sign}"
