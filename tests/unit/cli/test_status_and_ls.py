"""`status` and `ls`: what is stored, for a person or a program."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from treadle.adapters.stores.run_list import find_run, list_runs
from treadle.adapters.stores.status_file import StatusFile
from treadle.cli.terminal.run_table import (
    run_table,
    run_table_with_projects,
    status_block,
)
from treadle.domain.approval import ApprovalRecord, make_approval
from treadle.domain.events.run import RunReopened
from treadle.domain.ids import RunId
from treadle.domain.run_row import UnlandedRun
from treadle.domain.storage import Storage
from treadle.views.waiting import WaitingEntry, waiting_entries

from .sample_handovers import LANDING
from .sample_queue import queue
from .sample_runs import (
    ADD,
    DIVIDE,
    MAIL,
    RUN,
    START,
    STARTED,
    interrupted,
    success,
)
from .stored_runs import LATER, OPTIONS, Command, drawn, living, store, store_all

AT_TWO = (START + timedelta(hours=2)).isoformat()
REOPENED = RunReopened("resume", STARTED.limits)

THIN = """
import sys
from treadle.cli.main import run
run(sys.argv[1:])
heavy = {"pydantic", "asyncio", "claude_agent_sdk", "mcp", "treadle.domain.wire"}
sys.stderr.write(" ".join(sorted(heavy & set(sys.modules))))
"""


def test_ls_aligns_the_runs_newest_first(root: Path) -> None:
    store_all(root, Path("/home/ada/calc"))
    store(root, success()[:21], Path("/home/ada/calc"), number=5)

    rows = list_runs(Storage(root))

    assert drawn(run_table(rows, LATER + timedelta(days=5))) == [
        "RUN       STARTED  OUTCOME               ROUNDS  PASSED   COST  TIME",
        "7c01d2e5  2h ago   lost                       2     0/2  $0.21  -",
        "7c01d2e4  1d ago   interrupted                1     1/2  $0.42  1h 1m 1s",
        "7c01d2e3  2d ago   max retries exceeded       4     0/2  $0.42  1h 1m 1s",
        "7c01d2e2  3d ago   quota exceeded             2     1/3  $0.42  1h 1m 1s",
        "7c01d2e1  4d ago   all blocked                1     0/1  $0.42  1h 1m 1s",
        "7c01d2e0  5d ago   all passed                 2     2/2  $0.42  1h 1m 1s",
    ]
    assert drawn(run_table_with_projects(rows[:1], LATER))[1].endswith("  -     calc")


def test_ls_lists_this_project_or_all(
    root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    store(root, success(), project, number=1)
    store(root, success(), project.parent / "other", number=2)

    treadle("ls", "--json", inside=project / ".git")
    own = json.loads(capsys.readouterr().out)
    treadle("ls", "--all", "-n", "1")

    assert [row["id"] for row in own] == [f"{RUN[:-1]}1"]
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()] == [
        "PROJECT",
        "other",
    ]


def test_a_project_without_runs_says_how_to_start_one(
    treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = [treadle("ls"), treadle("ls", "--all"), treadle("show", "last")]

    assert codes == [0, 0, 2]
    assert capsys.readouterr().err.splitlines() == [
        "No runs in calc yet: start one with `treadle deliver`, or see those of all projects with"
        " `treadle ls --all`.",
        "No runs yet: start one with `treadle deliver`.",
        "treadle: there are no runs of this project yet",
        "  hint: start one with `treadle deliver`, or name one of `treadle ls --all`",
    ]


@pytest.mark.parametrize("command", ["show", "logs"])
def test_an_unknown_run_is_answered_with_the_newest_ones(
    command: str, root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    store_all(root, project)

    assert treadle(command, "beef") == 2
    assert capsys.readouterr().err.splitlines() == [
        "treadle: there is no run 'beef'",
        "  hint: the newest runs are 7c01d2e4, 7c01d2e3, 7c01d2e2, 7c01d2e1, 7c01d2e0",
    ]


def test_status_shows_deliverables_and_the_last_run(root: Path) -> None:
    store(root, success(), Path("/home/ada/calc"), number=0)
    deliverables = [replace(ADD, status="passed"), DIVIDE, replace(MAIL, status="blocked")]
    row = find_run(Storage(root), "last")

    assert drawn(status_block("calc", deliverables, row, now=LATER, options=OPTIONS)) == [
        "calc  1 of 3 passed (claimed), 1 blocked, 1 pending",
        "  [PASS] Add two numbers (DL-001)  claimed: no check",
        "  [PENDING] Divide, and say so when it cannot be done (DL-002)",
        "  [BLOCKED] Send the result by mail (DL-003)",
        "",
        "last run 7c01d2e0 all passed · round 2 · $0.42 · 1h 1m 1s · started 2h ago",
        "         treadle show 7c01d2e0",
    ]
    assert drawn(status_block("calc", [], None, now=LATER, options=OPTIONS)) == [
        "calc  no deliverables yet",
        "",
        "no runs yet; start one with treadle deliver",
    ]


def test_a_gate_says_what_the_agent_wants_to_do(root: Path) -> None:
    store(root, success(), Path("/home/ada/calc"), number=0)
    row = find_run(Storage(root), "last")
    subject = f"npm publish {'x' * 300}\nin /work\nrule gate-publish"
    asked = replace(LANDING, kind="gate", text="Allow this Bash call?", subject=subject)
    question = ApprovalRecord(make_approval(asked, run=row.id, step="1", now=START))

    [entry] = waiting_entries([row], [question], None)

    assert entry.text == f"npm publish {'x' * 188}… · Allow this Bash call?"


def test_status_says_first_what_waits_for_a_person(root: Path) -> None:
    store(root, success(), Path("/home/ada/calc"), number=0)
    row = find_run(Storage(root), "last")
    question = ApprovalRecord(make_approval(LANDING, run=row.id, step="1", now=START))
    foreign = ApprovalRecord(make_approval(LANDING, run=RunId("other"), step="1", now=START))
    finished = UnlandedRun(row, "files were changed after the run started")
    unfinished = UnlandedRun(replace(row, state="ended", branch="treadle/calc"), "interrupted")
    waiting = waiting_entries([row], [question, foreign], finished)

    assert waiting == (
        WaitingEntry(
            "7c01d2e0",
            "Land 1 commit in your checkout?",
            (f"treadle approve {question.approval.id}", f"treadle deny {question.approval.id}"),
        ),
        WaitingEntry(
            "7c01d2e0",
            "finished work is not merged: files were changed after the run started",
            ("treadle land 7c01d2e0",),
        ),
    )
    assert waiting_entries([row], [], unfinished) == (
        WaitingEntry(
            "7c01d2e0",
            "unfinished work on treadle/calc",
            ("treadle resume 7c01d2e0", "treadle land 7c01d2e0"),
        ),
    )
    assert drawn(status_block("calc", [], row, waiting[1:], now=LATER, options=OPTIONS))[:5] == [
        "Waits for you",
        "  7c01d2e0  finished work is not merged: files were changed after the run",
        "          │ started",
        "    treadle land 7c01d2e0",
        "",
    ]


def test_status_prefers_the_run_that_is_alive(
    root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    live = store(root, success()[:21], project, number=1)[0].run
    store(root, interrupted(), project, number=2)

    with living(root, live):
        treadle("status")

    lines = capsys.readouterr().out.splitlines()
    assert lines[-2].startswith("live run 7c01d2e1 running · round 2 · $0.21 · ")
    assert lines[-1] == "         treadle logs 7c01d2e1 -f"


def test_status_tells_of_the_queue_whose_item_ended_last(
    root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    store(root, queue(), project, number=0)
    during = timedelta(days=1) - timedelta(seconds=10)
    item = [replace(each, at=each.at - during) for each in success()]
    store(root, item, project, number=1)

    treadle("status")

    lines = capsys.readouterr().out.splitlines()
    # Rounds and cost are with its items.
    assert lines[-2].startswith("last run 7c01d2e0 items left · 1m · started ")
    assert lines[-1] == "         treadle report 7c01d2e0"
    assert treadle("ls") == 0
    assert re.search(r"7c01d2e0 .* items left +- +- +- +1m", capsys.readouterr().out)


def test_status_as_json_holds_the_same_facts(
    root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    board_file = StatusFile(project / ".treadle" / "status.json")
    board_file.write([replace(ADD, status="passed")], today="2026-03-04")

    assert treadle("status", "--json", "-p", ".") == 0
    assert json.loads(capsys.readouterr().out) == {
        "project": str(project),
        "waiting": [],
        "tally": {"passed": 1, "blocked": 0, "total": 1},
        "deliverables": [
            {
                "id": "DL-001",
                "description": "Add two numbers",
                "acceptance_criteria": ["2 and 3 give 5"],
                "status": "passed",
                "claim": None,
                "checks": [],
                "proof": "claimed",
                "rehearsed": False,
                "why": "",
            }
        ],
        "run": None,
    }


def test_a_broken_status_file_is_named_with_its_line(
    project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ".treadle").mkdir()
    (project / ".treadle" / "status.json").write_text('{\n  "deliverables": [,]\n}')

    assert treadle("status") == 1
    assert ".treadle/status.json:2: not valid JSON" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [("status",), ("status", "--json"), ("ls",), ("ls", "--all")])
def test_thin_commands_load_nothing_heavy(
    arguments: tuple[str, ...], root: Path, project: Path
) -> None:
    store(root, success(), project, number=1)

    done = subprocess.run(
        [sys.executable, "-c", THIN, *arguments],
        cwd=project,
        env={"TREADLE_ROOT": str(root), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stderr == ""
    assert done.stdout != ""


def test_numbers_that_make_no_sense_are_refused(
    treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [treadle("ls", "-n", "0"), treadle("logs", "last", "--after", "x")] == [2, 2]
    assert "Traceback" not in capsys.readouterr().err
