"""Log files hold whole JSON lines with stable names, and rotate whoever writes to them."""

import json
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given

from tests.builders import NOON, RUN
from tests.unit.cli.any_event import LOGS
from treadle.adapters.stores.json_logs import JsonLog, RotatedFile, line_of, message_of
from treadle.domain.deliverable import Tally
from treadle.domain.events.agent import AgentSpoke, ToolDecided
from treadle.domain.events.all_events import DISPLAY_ONLY, Event, RecordedEvent
from treadle.domain.events.run import RoundStarted, RunEnded, RunWarned
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.run import RunResult
from treadle.domain.usage import Usage


def recorded(event: Event) -> RecordedEvent:
    return RecordedEvent(RUN, 7, NOON, event)


def ended(reason: ExitReason) -> RunEnded:
    return RunEnded(RunResult(reason, 1, Tally(), 0.0, Usage(), 1.0, "why"))


def test_a_line_has_the_fields_that_collectors_ask_for() -> None:
    line = json.loads(line_of(recorded(RunWarned("the disk is nearly full"))))

    assert line == {
        "timestamp": NOON.isoformat(timespec="milliseconds"),
        "level": "warning",
        "component": "run",
        "action": "run.warned",
        "message": "run.warned: the disk is nearly full",
        "run": RUN,
        "seq": 7,
        "data": {"message": "the disk is nearly full"},
    }


@given(LOGS)
def test_every_event_is_one_printable_line_whose_action_is_its_type(
    log: list[RecordedEvent],
) -> None:
    lines = b"".join(map(line_of, log)).decode().splitlines()

    assert [json.loads(line)["action"] for line in lines] == [each.event.type for each in log]
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize(
    ("event", "level"),
    [
        (RoundStarted(1, "coding"), "info"),
        (ended("all_passed"), "info"),
        (ended("stuck"), "warning"),
        (ended("error"), "error"),
        (ToolDecided("1", "Bash", "deny", "no", "no"), "warning"),
        (ToolDecided("1", "Bash", "allow", "", ""), "info"),
    ],
)
def test_what_a_person_should_look_at_is_no_info(event: Event, level: str) -> None:
    assert json.loads(line_of(recorded(event)))["level"] == level


def test_the_message_is_the_best_text_of_the_event_or_of_what_it_holds() -> None:
    assert message_of({"type": "a.b", "path": "x", "reason": "why\nmore"}) == "a.b: why"
    assert message_of({"type": "a.b", "result": {"message": "inside"}}) == "a.b: inside"
    assert message_of({"type": "a.b", "number": 1}) == "a.b"


def test_a_long_event_is_cut_and_says_so() -> None:
    line = json.loads(line_of(recorded(RunWarned("x" * 100_000))))

    assert (line["cut"], "data" in line, len(line["message"])) == (True, False, 512)


def test_nothing_that_a_terminal_would_obey_is_in_a_line() -> None:
    text = "a\x1b[31m\u202eb\x9b"

    line = line_of(recorded(RunWarned(text))).decode()

    assert line.rstrip("\n").isprintable()
    assert json.loads(line)["data"]["message"] == text


def test_what_is_only_there_to_be_displayed_is_left_out(tmp_path: Path) -> None:
    log = JsonLog(RotatedFile(tmp_path / "run.log"))

    log.read_event(recorded(AgentSpoke("Hello")))
    log.read_event(recorded(RoundStarted(1, "coding")))

    actions = [
        json.loads(line)["action"] for line in (tmp_path / "run.log").read_text().splitlines()
    ]
    assert actions == ["round.started"]
    assert AgentSpoke in DISPLAY_ONLY


def test_a_full_file_is_renamed_and_the_oldest_goes(tmp_path: Path) -> None:
    file = RotatedFile(tmp_path / "a.log", most_bytes=10, kept=2)

    for number in range(5):
        file.append(f"line {number}\n".encode())

    texts = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert texts == {"a.log": "line 4\n", "a.log.1": "line 3\n", "a.log.2": "line 2\n"}
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}


def test_many_writers_lose_no_line_while_the_file_rotates(tmp_path: Path) -> None:
    file = RotatedFile(tmp_path / "a.log", most_bytes=500, kept=1_000)

    def write(writer: int) -> None:
        for number in range(100):
            file.append(f"{writer}:{number}:{'x' * 20}\n".encode())

    writers = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for each in writers:
        each.start()
    for each in writers:
        each.join()

    texts = [path.read_text() for path in tmp_path.iterdir()]
    expected = [f"{writer}:{number}:{'x' * 20}" for writer in range(6) for number in range(100)]
    assert sorted(line for text in texts for line in text.splitlines()) == sorted(expected)
    assert max(map(len, texts)) <= 500


def test_a_disk_or_a_pipe_that_takes_nothing_ends_no_run(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    for path in (tmp_path / "missing" / "run.log", tmp_path, pipe, Path("/dev/full")):
        JsonLog(RotatedFile(path)).read_event(recorded(RoundStarted(1, "coding")))

    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipe"]
