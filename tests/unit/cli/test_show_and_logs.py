"""`show` and `logs`: one run in full, told to a person or to a program."""

import json
from pathlib import Path

import pytest

from treadle.adapters.stores.runs import find_run
from treadle.cli.terminal.account import Denial, account_of
from treadle.cli.terminal.account_lines import account_lines
from treadle.domain.wire import encode_recorded

from .stored_runs import LATER, VIEW, Command, drawn, living, store
from .told_runs import ALL_RUNS, interrupted, success

BLOCKS = Path(__file__).parent / "blocks"


@pytest.mark.parametrize("name", ["success", "retries", "interrupted", "quota"])
def test_show_tells_everything_about_a_run(name: str, root: Path) -> None:
    log = store(root, ALL_RUNS[name](), Path("/home/ada/calc"), number=0)
    block = (BLOCKS / f"{name}-show.txt").read_text(encoding="utf-8")

    lines = account_lines(find_run(root, "last"), account_of(log), now=LATER, view=VIEW)

    assert drawn(lines) == block.splitlines()


def test_show_tells_a_living_run_from_a_lost_one(root: Path) -> None:
    log = store(root, success()[:21], Path("/home/ada/calc"), number=0)
    account = account_of(log)

    lost = drawn(account_lines(find_run(root, "last"), account, now=LATER, view=VIEW))
    with living(root, log[0].run):
        live = drawn(account_lines(find_run(root, "last"), account, now=LATER, view=VIEW))

    assert (lost[0], lost[-1]) == (
        "✘ Lost: the process of this run is gone and it has no end in the log",
        "  next          treadle deliver  # goes on with what has not passed",
    )
    assert (live[0], live[-1]) == (
        "Running: round 2, coding",
        "  next          treadle logs 7c01d2e0 -f  # watch it",
    )


def test_show_as_json_holds_the_same_facts(
    root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    log = store(root, success(), project)

    assert treadle("show", "d2e4", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["run"]["id"] == log[0].run
    assert shown["result"]["reason"] == "all_passed"
    assert [session["result"]["cost_usd"] for session in shown["sessions"]] == [0.21, 0.21]


def test_a_denial_is_kept_with_the_call_it_stopped() -> None:
    assert account_of(success()).denials == (
        Denial("Write", "/etc/motd", "that path is outside the workspace"),
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
    assert lines[-1] == "                treadle show 7c01d2e4  # all about this run"


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
    assert shown.err == "Run 7c01d2e4 has no living process: its log ends here.\n"
