"""`treadle drop`, `undo` and `clean --force` print what was done, and lines that can be copied."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.unit.cli.stored_runs import living
from tests.unit.runs.old_runs import RunsHarness, StoredRun
from treadle.cli.context import CommandContext
from treadle.cli.main import run_command


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[RunsHarness]:
    harness = RunsHarness.within(tmp_path)
    yield harness
    harness.close()


@pytest.fixture
async def run(harness: RunsHarness) -> StoredRun:
    run = await harness.start()
    run.agent.commit("Work", new="work\n")
    await run.round()
    return run


def treadle(run: StoredRun, *arguments: str) -> int:
    context = CommandContext(run.harness.environment, run.harness.user.path)
    return run_command(arguments, context)


def until() -> str:
    return f"{datetime.now(UTC) + timedelta(days=90):%Y-%m-%d}"


def test_a_drop_prints_how_to_get_the_work_back(
    run: StoredRun, capsys: pytest.CaptureFixture[str]
) -> None:
    run.end()
    name, place = run.id[-8:], run.harness.user.path
    codes = [treadle(run, "drop"), treadle(run, "undo", name), treadle(run, "undo", name)]

    out, err = capsys.readouterr()
    assert codes == [0, 0, 0]
    assert out.splitlines() == [
        f"dropped run {name} of {place}: removed {run.branch} and its workspace",
        f"  treadle undo {name}    # restores it, until {until()}",
        f"restored {run.branch}",
        f"restored the workspace {run.agent.path}",
    ]
    assert err == f"There is nothing to undo for run {name}.\n"


def test_a_forced_clean_prints_the_same_line(
    run: StoredRun, capsys: pytest.CaptureFixture[str]
) -> None:
    run.end()
    name = run.id[-8:]
    codes = [
        treadle(run, "clean", "--older-than", "0", *options)
        for options in ((), ("--force", "--dry-run"), ("--force",), ("--force",))
    ]

    lines = [line.partition(", ended")[0] for line in capsys.readouterr().out.splitlines()]
    assert codes == [0, 0, 0, 0]
    assert lines == [
        f"kept {name}",
        f"would drop {name}",
        f"dropped {name}",
        f"  treadle undo {name}    # restores it, until {until()}",
        f"kept {name}",
    ]


async def test_a_landing_is_undone_and_one_with_more_on_top_is_not(
    run: StoredRun, capsys: pytest.CaptureFixture[str]
) -> None:
    user, name = run.harness.user, run.id[-8:]
    before = user.head
    await run.harness.land(run)
    run.end()
    landed = user.head
    user.commit("More", more="1\n")
    refused = await on_thread(run, "undo")
    user.git("reset", "--quiet", "--hard", landed)
    undone = await on_thread(run, "undo")

    out, err = capsys.readouterr()
    assert (refused, undone) == (3, 0)
    assert err.splitlines() == [
        "left your checkout as it is: main has other commits since the work landed",
        f"  git -C {user.path} revert --no-edit {before[:12]}..{landed[:12]}",
    ]
    assert out.splitlines() == [
        f"undid the landing: {user.path} is at {before[:8]} again",
        f"  treadle land {name}    # lands it again",
    ]


async def on_thread(run: StoredRun, *arguments: str) -> int:
    """A command has an event loop of its own."""
    return await asyncio.to_thread(treadle, run, *arguments)


def test_dropped_work_is_not_resumed(run: StoredRun, capsys: pytest.CaptureFixture[str]) -> None:
    run.end()
    treadle(run, "drop")

    assert treadle(run, "resume") == 2
    assert capsys.readouterr().err.splitlines() == [
        f"treadle: the work of run {run.id[-8:]} was dropped",
        f"  hint: restore it first: treadle undo {run.id[-8:]}",
    ]


def test_a_run_that_is_at_work_is_not_dropped(
    run: StoredRun, capsys: pytest.CaptureFixture[str]
) -> None:
    with living(run.harness.environment.root, run.id):
        codes = [treadle(run, "drop"), treadle(run, "undo")]

    hint = f"  hint: cancel it first: treadle cancel {run.id[-8:]}"
    assert codes == [2, 2]
    assert capsys.readouterr().err.splitlines()[1::2] == [hint, hint]
    assert run.agent.path.exists()
