"""`attach`: a run that works elsewhere, seen as if it worked here."""

import json
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from treadle.adapters.stores.event_store import open_store
from treadle.domain.events.queue import ItemEnded, ItemStarted, WaitStarted
from treadle.domain.events.run import RunReopened
from treadle.domain.storage import Storage
from treadle.domain.wire import encode_recorded

from .sample_handovers import EVERY_RUN, passed_on
from .sample_queue import queue
from .sample_runs import recorded, success
from .stored_runs import Command, store

FIRST = "010-greet.md"
CODES = {
    "success": 0,
    "blocked": 3,
    "quota": 6,
    "retries": 5,
    "interrupted": 130,
    "passed-on": 0,
    "in-bounds": 130,
}


@pytest.mark.parametrize(("name", "code"), CODES.items())
def test_the_exit_code_is_that_of_the_run(
    name: str, code: int, root: Path, project: Path, treadle: Command
) -> None:
    store(root, EVERY_RUN[name](), project)

    assert treadle("attach") == code


def test_the_round_that_runs_is_shown_from_its_beginning_and_no_earlier_one(
    root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    store(root, success(), project)

    treadle("attach", "last")

    shown = capsys.readouterr()
    lines = shown.err.splitlines()
    assert (shown.out, lines[0]) == ("", "")
    assert lines[1].startswith("Round 2 · coding ")
    assert lines[-1] == "                treadle show 7c01d2e4  # details of this run"
    # what was not shown is still known: the path is relative to the workspace
    assert "  → Write src/calc.py" in lines


def test_for_programs_the_whole_log_is_printed(
    root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    log = store(root, passed_on(), project)

    assert treadle("attach", "--json") == 0
    assert capsys.readouterr().out.encode().splitlines() == [encode_recorded(each) for each in log]


def test_a_queue_is_shown_with_the_run_of_its_item(
    root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    item = store(root, success(), project, number=3)
    events = [
        replace(each.event, run=item[0].run) if isinstance(each.event, ItemStarted) else each.event
        for each in queue()
        if getattr(each.event, "item", FIRST) == FIRST and not isinstance(each.event, WaitStarted)
    ]
    log = store(root, recorded(events), project)
    end = next(number for number, each in enumerate(log) if isinstance(each.event, ItemEnded))

    treadle("attach")
    rounds = [line for line in capsys.readouterr().err.splitlines() if line.startswith("Round ")]
    treadle("attach", "--json")
    lines = capsys.readouterr().out.encode().splitlines()

    assert [line.partition(" ─")[0] for line in rounds] == ["Round 2 · coding"]
    assert lines == [encode_recorded(each) for each in (*log[:end], *item, *log[end:])]


@pytest.mark.parametrize(("option", "seen"), [("-q", False), ("-v", True), ("-d", True)])
def test_how_much_is_shown_is_said_as_for_a_run(
    option: str,
    seen: bool,  # a column of the table
    root: Path,
    project: Path,
    treadle: Command,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store(root, success(), project)

    treadle("attach", option)

    assert ("session s-2 · implementer · sonnet" in capsys.readouterr().err) is seen


def test_a_run_that_lost_its_process_is_said_to_and_how_to_go_on(
    root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    store(root, success()[:21], project)

    assert treadle("attach") == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        "Run 7c01d2e4 lost its process: treadle resume 7c01d2e4"
    )


def test_a_queued_run_is_waited_for(root: Path, project: Path) -> None:
    log = passed_on()
    run = store(root, log[:1], project)[0].run
    attached = subprocess.Popen(
        [sys.executable, "-m", "treadle", "attach", "--json"],
        cwd=project,
        env={"TREADLE_ROOT": str(root), "HOME": str(root), "PATH": "/usr/bin:/bin"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert attached.stdout is not None

    first = attached.stdout.readline()
    with closing(open_store(Storage(root))) as kept:
        kept.append(run, [(each.at, each.event) for each in log[1:]])
    rest, _ = attached.communicate(timeout=60)

    assert json.loads(first)["event"]["type"] == "run.queued"
    assert (len(rest.splitlines()), attached.returncode) == (len(log) - 1, 0)


def test_a_run_that_was_lost_after_it_was_reopened_is_no_ended_one(
    root: Path, project: Path, treadle: Command
) -> None:
    reopened = next(each.seq for each in passed_on() if isinstance(each.event, RunReopened))
    store(root, passed_on()[: reopened + 1], project)

    assert treadle("attach") == 1


@pytest.mark.parametrize("command", ["attach", "resume", "retry", "cancel"])
def test_a_run_that_nobody_knows_is_answered_with_the_newest_ones(
    command: str, root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    store(root, success(), project)

    assert treadle(command, "beef") == 2
    assert capsys.readouterr().err.splitlines() == [
        "treadle: there is no run 'beef'",
        "  hint: the newest runs are 7c01d2e4",
    ]
