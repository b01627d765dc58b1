"""`show` and `logs`: one run in full, for a person or a program."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from treadle.adapters.stores.run_list import find_run
from treadle.cli.terminal.run_details_lines import run_details_lines
from treadle.domain.approval import make_approval
from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.oversight import ApprovalAsked
from treadle.domain.events.run import RoundStarted
from treadle.domain.events.work import CommitsKept
from treadle.domain.limits import RunLimits
from treadle.domain.run_row import StepRow
from treadle.domain.storage import Storage
from treadle.domain.wire import encode_recorded
from treadle.views.run_details import DeniedToolUse, collect_run_details

from .sample_handovers import EVERY_RUN, LANDING, QUEUED, SHUT
from .sample_runs import RUN, START, STARTED, ended, interrupted, recorded, success
from .sample_verified_runs import CHANGED_TEST, VERIFIED_RUNS, verified
from .stored_runs import LATER, OPTIONS, Command, drawn, living, store

BLOCKS = Path(__file__).parent / "blocks"
ASKED = ApprovalAsked(make_approval(LANDING, run=RUN, step="1: landing", now=START))
TAKEN = {
    "passed-on": [
        StepRow("begin", START, 0.1),
        StepRow("look 1", START, 0.02),
        StepRow("session 1", START, 83.0),
        StepRow("home 1", START, 2.4),
    ]
}


def shown(
    root: Path,
    log: Sequence[RecordedEvent],
    *,
    taken: Sequence[StepRow] = (),
    now: datetime = LATER,
) -> list[str]:
    row = find_run(Storage(root), "last")
    return drawn(run_details_lines(row, collect_run_details(log), taken, now=now, options=OPTIONS))


def steps(*took_s: float) -> list[StepRow]:
    return [StepRow(f"session {n}", START, each) for n, each in enumerate(took_s, 1)]


@pytest.mark.parametrize(
    "name",
    [
        "success",
        "retries",
        "interrupted",
        "quota",
        "passed-on",
        "in-bounds",
        "focus",
        *VERIFIED_RUNS,
    ],
)
def test_show_prints_everything_about_a_run(name: str, root: Path) -> None:
    log = store(root, EVERY_RUN[name](), Path("/home/ada/calc"), number=0)
    block = (BLOCKS / f"{name}-show.txt").read_text(encoding="utf-8")

    assert shown(root, log, taken=TAKEN.get(name, ())) == block.splitlines()


@pytest.mark.parametrize(
    ("events", "title", "command"),
    [
        (
            [QUEUED],
            "Queued: waiting for a worker",
            "worker  # executes queued runs",
        ),
        (
            [STARTED, RoundStarted(1, "coding"), SHUT],
            "Paused: the model service is left alone (paused, 4m left)",
            "logs 7c01d2e0 -f  # watch it",
        ),
        (
            [STARTED, RoundStarted(1, "coding"), ASKED],
            "Waiting for an answer, 1h 59m left: Land 1 commit in your checkout?",
            "approvals  # what it asks, and how to answer",
        ),
        (
            [STARTED, RoundStarted(1, "coding")],
            "Running: round 1, starting",
            "logs 7c01d2e0 -f  # watch it",
        ),
    ],
)
def test_show_says_how_a_living_run_stands_and_what_to_do(
    events: list[Event], title: str, command: str, root: Path
) -> None:
    log = store(root, recorded(events), Path("/home/ada/calc"), number=0)

    with living(root, log[0].run):
        lines = shown(root, log, now=START + timedelta(minutes=1))

    assert (lines[0], lines[-1]) == (title, f"  next          treadle {command}")


def test_show_names_a_lost_run_and_how_to_resume_it(root: Path) -> None:
    log = store(root, success()[:21], Path("/home/ada/calc"), number=0)

    lines = shown(root, log)

    assert (lines[0], lines[-1]) == (
        "✘ Lost: the process of this run is gone",
        "  next          treadle resume 7c01d2e0  # continues where it stopped",
    )


def test_show_says_what_the_run_may_still_use_and_never_less_than_nothing(root: Path) -> None:
    tight = replace(STARTED, limits=RunLimits(0.4, 60.0, 2, 3))
    log = store(root, recorded([tight, ended("budget_exceeded", Tally())]), Path("/calc"), number=0)

    assert [line for line in shown(root, log) if line.startswith("  left ")] == [
        "  left          $0.00, 0s, 0 rounds"
    ]


def test_show_names_the_commits_that_sessions_dropped_and_the_command_that_lists_them(
    root: Path,
) -> None:
    folder = "refs/treadle/backup/r/dropped"
    dropped = CommitsKept("/my runs/x.git", (f"{folder}/1", f"{folder}/2"), 3)
    log = store(root, recorded([STARTED, dropped]), Path("/calc"), number=0)

    lines = shown(root, log)
    first = lines.index("  dropped       3 dropped commits kept")

    assert lines[first + 1 : first + 3] == [
        f"                {folder}/1 to 2",
        "  to see        git --git-dir='/my runs/x.git' log --no-walk --all",
    ]


def test_show_does_not_count_a_pause_as_running_time(root: Path) -> None:
    paused = recorded([STARTED, RoundStarted(1, "coding"), SHUT], step_s=1)
    log = store(root, paused, Path("/calc"), number=0)

    with living(root, log[0].run):
        lines = shown(root, log, now=START + timedelta(minutes=4))

    assert "  time          1s" in lines


def test_show_lists_the_newest_steps_and_says_how_many_came_before(root: Path) -> None:
    log = store(root, success(), Path("/home/ada/calc"), number=0)

    lines = shown(root, log, taken=steps(*range(1, 23)))
    first = lines.index("Steps")

    assert lines[first : first + 3] == ["Steps", "  2 earlier ones", "  session 3    3s"]
    assert lines[first + 21 : first + 23] == ["  session 22  22s", ""]


def test_show_as_json_holds_the_same_facts(
    root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    log = store(root, success(), project)

    assert treadle("show", "d2e4", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["run"]["id"] == log[0].run
    assert shown["result"]["reason"] == "all_passed"
    assert [session["result"]["cost_usd"] for session in shown["sessions"]] == [0.21, 0.21]
    assert shown["steps"] == []  # the engine has never heard of it


def test_show_as_json_holds_what_was_found_out_about_the_work(
    root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    store(root, verified(), project)

    assert treadle("show", "d2e4", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert [each["path"] for each in shown["touched"]] == [
        "tests/test_old.py",
        "pyproject.toml",
        "tests/test_add.py",
    ]
    assert [(each["criterion"], each["evidence"]["when"]) for each in shown["checks"]] == [
        ("1/0 is an error", "after"),
        ("it is documented", "after"),
        ("3 gives 9", "after"),
        ("2 and 3 give 5", "again"),
    ]
    assert shown["tests"]["coverage"] == 84.25
    assert [each["proof"] for each in shown["deliverables"]] == [
        "proven",
        "claimed",
        "claimed",
        "self-tested",
    ]
    [self_tested] = shown["deliverables"][3]["checks"]
    assert (self_tested["pinned"], self_tested["why"]) == ("failed", CHANGED_TEST)


def test_a_denial_is_kept_with_the_call_it_stopped() -> None:
    assert collect_run_details(success()).denials == (
        DeniedToolUse("Write", "/etc/motd", "that path is outside the workspace"),
    )


def test_logs_shows_a_run_as_it_was_seen_live(
    root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    store(root, interrupted(), project)

    assert treadle("logs", "last", "--after", "13", "-d") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == [
        "  skipped an unknown message: system/unheard_of",
        "  session cancelled · 1m 23s · $0.21 · 9 turns",
        "  1 commit on treadle/calc-7c01d2e4",
        "  kept on treadle/calc-7c01d2e4: the run was interrupted",
        "",
    ]
    assert lines[-1] == "                treadle show 7c01d2e4    # details of this run"


@pytest.mark.parametrize("follow", [(), ("-f",)])
def test_logs_as_json_prints_the_events_as_they_are_stored(
    follow: tuple[str, ...],
    root: Path,
    project: Path,
    treadle: Command,
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = store(root, interrupted(), project)

    assert treadle("logs", "last", "--json", "--after", "3", *follow) == 0
    assert capsys.readouterr().out.encode().splitlines() == [
        encode_recorded(each) for each in log[3:]
    ]


def test_following_a_lost_run_says_that_it_is_lost(
    root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    store(root, success()[:3], project)

    assert treadle("logs", "last", "-f") == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines()[-1].startswith("Round 1 · planning the deliverables ")
    assert shown.err == "Run 7c01d2e4 has lost its process. Its log ends here.\n"
