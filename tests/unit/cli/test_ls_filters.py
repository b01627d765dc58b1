"""`ls` narrowed down, and the words for runs that wait."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from treadle.adapters.stores.run_list import list_runs
from treadle.cli.terminal.run_details_lines import run_details_lines
from treadle.cli.terminal.run_table import run_line, run_table
from treadle.cli.time_options import parse_moment
from treadle.domain.lifecycle import RunState
from treadle.domain.run_row import RunRow
from treadle.domain.storage import Storage
from treadle.views.run_details import collect_run_details

from .sample_runs import RUN, interrupted, success
from .stored_runs import LATER, OPTIONS, Command, drawn, store, store_all

NOW = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)


def listed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [row["id"][-1] for row in json.loads(capsys.readouterr().out)]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ((), "43210"),
        (("--state", "succeeded"), "0"),
        (("--state", "ended"), "4321"),
        (("--state", "ended", "--state", "succeeded", "--limit", "2"), "43"),
        (("--state", "running"), ""),
        (("--state", "lost"), ""),
        (("--workflow", "deliver", "-n", "1"), "4"),
        (("--workflow", "focus"), ""),
        (("--since", "9999-01-01"), ""),
        (("--since", "2020-01-01T10:00"), "43210"),
        (("--project", "."), "43210"),
        (
            (
                "--project-dir",
                "..",
            ),
            "",
        ),
        (("--project", "..", "--all"), "43210"),
    ],
)
def test_runs_are_narrowed_down_by_options(
    options: tuple[str, ...],
    found: str,
    root: Path,
    project: Path,
    treadle: Command,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store_all(root, project)

    assert treadle("ls", "--json", *options) == 0
    assert listed(capsys) == list(found)


def test_nothing_that_fits_is_not_nothing_at_all(
    root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    store_all(root, project)

    assert treadle("ls", "--state", "waiting") == 0
    assert capsys.readouterr().err == "No runs match.\n"


@pytest.mark.parametrize(
    "options", [("--since", "soon"), ("--since", "99999999d"), ("--state", "happy")]
)
def test_what_makes_no_sense_is_refused(
    options: tuple[str, ...], treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert treadle("ls", *options) == 2
    assert options[1] in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("30m", NOW - timedelta(minutes=30)),
        ("12h", NOW - timedelta(hours=12)),
        (" 7d ", NOW - timedelta(days=7)),
        ("2w", NOW - timedelta(weeks=2)),
        ("2026-05-04T08:00+02:00", datetime(2026, 5, 4, 6, tzinfo=UTC)),
        ("2026-05-04T08:00Z", datetime(2026, 5, 4, 8, tzinfo=UTC)),
        ("2026-05-04", datetime(2026, 5, 4).astimezone(UTC)),
        ("d", None),
        ("-3d", None),
        ("3y", None),
        ("999999w", None),
        ("last week", None),
        ("", None),
    ],
)
def test_a_moment_is_a_date_a_time_or_so_long_ago(text: str, moment: datetime | None) -> None:
    assert parse_moment(text, NOW) == moment


def row_of(root: Path, state: RunState, **held_up: str) -> RunRow:
    store(root, success()[:21], Path("/home/ada/calc"), number=0)
    (row,) = list_runs(Storage(root))
    return replace(row, state=state, **held_up)  # type: ignore[arg-type]


def in_seconds(seconds: float) -> str:
    return (LATER + timedelta(seconds=seconds)).isoformat()


@pytest.mark.parametrize(
    ("state", "held_up", "words"),
    [
        ("queued", {}, "queued"),
        ("running", {}, "running"),
        ("paused", {"until": in_seconds(5 * 3600 + 119)}, "paused, 5h 1m left"),
        ("paused", {"until": in_seconds(59)}, "paused, 59s left"),
        ("paused", {"until": in_seconds(-5)}, "paused, 0s left"),
        ("paused", {}, "paused"),
        ("waiting", {"waiting_for": "Land it?"}, "waiting: Land it?"),
        ("waiting", {"waiting_for": "x" * 99}, f"waiting: {'x' * 16}…"),
        ("waiting", {}, "waiting"),
        ("lost", {}, "lost"),
    ],
)
def test_a_list_says_what_a_run_waits_for_and_how_long(
    root: Path, state: RunState, held_up: dict[str, str], words: str
) -> None:
    row = row_of(root, state, **held_up)

    assert f"  {words}  " in drawn(run_table([row], LATER))[1]
    assert f" {words} · round 2 · " in drawn([run_line(row, LATER)])[0]


@pytest.mark.parametrize(
    ("state", "first", "last"),
    [
        (
            "paused",
            "Paused: the quota is spent (paused, 2m left)",
            "  next          treadle logs 7c01d2e0 -f  # watch it",
        ),
        (
            "waiting",
            "Waiting for an answer, 2m left: the quota is spent",
            "  next          treadle approvals  # what it asks, and how to answer",
        ),
        (
            "queued",
            "Queued: the quota is spent",
            "  next          treadle resume 7c01d2e0 --detach  # run this where the login is",
        ),
    ],
)
def test_show_says_what_a_run_waits_for(root: Path, state: RunState, first: str, last: str) -> None:
    row = row_of(root, state, waiting_for="the quota is spent", until=in_seconds(120))

    lines = drawn(
        run_details_lines(row, collect_run_details(success()[:21]), (), now=LATER, options=OPTIONS)
    )

    assert (lines[0], lines[-1]) == (first, last)


def test_show_says_that_the_log_of_a_run_was_cleaned_away(root: Path) -> None:
    row = row_of(root, "ended", reason="stuck", cleaned_at=LATER.isoformat())

    lines = drawn(run_details_lines(row, collect_run_details(()), (), now=LATER, options=OPTIONS))

    assert (lines[0], lines[-1]) == (
        "Ended: stuck. Its log and files were cleaned away",
        "  next          treadle ls  # the other runs",
    )


def test_the_end_of_a_log_can_be_shown_alone(
    root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    log = store(root, interrupted(), project)

    assert treadle("logs", "last", "--json", "--tail", "2") == 0
    seqs = [json.loads(line)["seq"] for line in capsys.readouterr().out.splitlines()]
    assert treadle("logs", "last", "--tail", "3") == 0
    shown = capsys.readouterr().out
    assert treadle("logs", "last", "--after", str(len(log) - 3)) == 0

    assert seqs == [len(log) - 1, len(log)]
    assert shown == capsys.readouterr().out != ""


@pytest.mark.parametrize("number", ["1", str(10**6)])
def test_more_than_the_whole_log_is_the_whole_log(
    number: str, root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    log = store(root, interrupted(), project)

    assert treadle("logs", f"{RUN[:-1]}4", "--json", "--tail", number) == 0
    assert len(capsys.readouterr().out.splitlines()) == min(int(number), len(log))
