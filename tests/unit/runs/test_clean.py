"""Cleaning removes runs whose work is proven to be elsewhere; the rest stay, with a reason."""

import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.builders import RUN_LIMITS, run_started
from tests.unit.workspace.deep_trees import dig
from tests.unit.workspace.real_git import BRANCH, RUN, Run, import_run, repository_in, run_on
from tests.unit.workspace.without_root import without_the_rights_of_root
from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.run_list import list_runs, run_directory
from treadle.cli.context import CommandContext
from treadle.cli.main import run_command
from treadle.domain.deliverable import Tally
from treadle.domain.errors import StoreError
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RunEnded, RunReopened
from treadle.domain.events.work import WorkImported, WorkLanded, WorkspacePrepared
from treadle.domain.ids import make_run_id
from treadle.domain.retention import DropRun, KeepRun
from treadle.domain.run import RunResult
from treadle.domain.usage import Usage
from treadle.durable.client import cancel as forget
from treadle.durable.client import enqueue
from treadle.durable.queries import find_workflow
from treadle.runs.clean import CleanMode, clean, clean_daily
from treadle.runs.engine_names import ENGINE_WORKFLOW, engine_location
from treadle.runs.locks import lock_orphan
from treadle.settings.environment import Environment, parse_environment
from treadle.workspace.imports import ImportedBranch

BEGAN = datetime(2020, 1, 1, tzinfo=UTC)
LATER = BEGAN + timedelta(days=100)
ENDED = RunEnded(RunResult("stuck", 1, Tally(0, 0, 1), 1.0, Usage(), 60.0))


@dataclass(frozen=True)
class Old:
    """A run that ended a hundred days ago, its work on its branch."""

    run: Run
    environment: Environment

    @property
    def root(self) -> Path:
        return self.environment.root

    @property
    def files(self) -> Path:
        return run_directory(self.root, RUN)

    def record(self, *events: Event) -> None:
        with closing(open_store(self.environment.storage)) as store:
            store.append(RUN, [(BEGAN, event) for event in events])

    def log(self) -> int:
        with closing(open_store(self.environment.storage)) as store:
            return store.last_number(RUN)

    async def clean(self, now: datetime = LATER, **how: bool) -> list[object]:
        mode = CleanMode(**how)
        cleaned = clean(self.environment, now=now, days=90, mode=mode)
        return [looked.decision async for looked in cleaned]


@pytest.fixture
async def old(tmp_path: Path) -> Old:
    run = await run_on(repository_in(tmp_path))
    environment = parse_environment(
        {**run.user.environment, "TREADLE_ROOT": str(tmp_path / "root")}
    )
    files = run_directory(environment.root, RUN)
    files.mkdir(parents=True)
    run.clone.path.rename(files / "tree")
    run = replace(
        run,
        clone=replace(run.clone, path=files / "tree"),
        agent=replace(run.agent, path=files / "tree"),
    )
    run.agent.commit("One", one="1")
    imported = await import_run(run)
    assert isinstance(imported, ImportedBranch)
    old = Old(run, environment)
    old.record(
        replace(run_started(RUN), project=str(run.project.root), project_key=run.project.key),
        WorkspacePrepared(
            str(files / "tree"), BRANCH, run.snapshot.head, "main", run.snapshot.commit
        ),
        WorkImported(BRANCH, imported.commit, 1),
        ENDED,
    )
    return old


async def test_work_that_is_only_on_its_branch_keeps_the_run(old: Old) -> None:
    assert await old.clean() == [KeepRun(f"{BRANCH} is not merged")]
    assert (old.log(), old.files.exists()) == (4, True)


async def test_a_run_whose_branch_was_merged_goes_and_its_line_stays(old: Old) -> None:
    old.run.user.git("merge", "--quiet", BRANCH)
    tip = old.run.user.head

    assert await old.clean() == [DropRun("its work is in another branch")]
    assert (old.log(), old.files.exists()) == (0, False)
    (row,) = list_runs(old.environment.storage)
    assert (row.state, row.reason, row.cleaned_at) == ("ended", "stuck", LATER.isoformat())
    assert old.run.user.refs("refs/heads") == {"refs/heads/main": tip}
    assert old.run.user.refs("refs/treadle") == {}
    assert await old.clean() == []


async def test_a_merged_branch_that_is_checked_out_stays(old: Old) -> None:
    old.run.user.git("switch", "--quiet", BRANCH)
    tip = old.run.user.head
    old.run.user.git("branch", "other")

    assert await old.clean() == [DropRun("its work is in another branch")]
    assert old.run.user.git("rev-parse", BRANCH) == tip


async def test_a_run_whose_branch_the_user_deleted_stays(old: Old) -> None:
    old.run.user.git("branch", "-D", BRANCH)

    reason = f"{BRANCH} was deleted, and its work is not found elsewhere"
    assert await old.clean() == [KeepRun(reason)]
    assert old.files.exists()


async def test_a_run_that_was_squashed_and_deleted_goes_and_its_commits_stay(old: Old) -> None:
    tip = old.run.user.git("rev-parse", BRANCH)
    old.run.user.git("merge", "--quiet", "--squash", BRANCH)
    old.run.user.commit("All at once")
    old.run.user.commit("Something else", other="1")
    old.run.user.git("branch", "-D", BRANCH)

    assert await old.clean() == [DropRun("another branch has its changes")]
    assert not old.files.exists()
    assert old.run.user.refs("refs/treadle/backup") == {f"refs/treadle/backup/{RUN}/1": tip}


async def test_a_run_whose_work_has_landed_goes(old: Old) -> None:
    old.record(WorkLanded(BRANCH, old.run.agent.head, "files"))

    assert await old.clean() == [DropRun("its work has landed")]


async def test_a_dry_run_says_the_same_and_removes_nothing(old: Old) -> None:
    old.run.user.git("merge", "--quiet", BRANCH)

    assert await old.clean(dry_run=True) == [DropRun("its work is in another branch")]
    assert (old.log(), old.files.exists()) == (4, True)


async def test_a_clone_with_more_than_was_imported_keeps_the_run(old: Old) -> None:
    old.run.user.git("merge", "--quiet", BRANCH)
    old.run.agent.write("forgotten.txt")

    assert await old.clean() == [KeepRun("its clone holds work that is nowhere else")]
    assert (old.files / "tree" / "forgotten.txt").exists()


async def test_a_project_that_is_gone_keeps_the_run(old: Old) -> None:
    old.run.project.root.rename(old.run.project.root.with_name("moved"))

    assert await old.clean() == [KeepRun("its clone cannot be read")]
    assert old.files.exists()


async def test_a_run_that_ended_too_short_a_time_ago_is_not_looked_at(old: Old) -> None:
    old.run.user.git("merge", "--quiet", BRANCH)

    assert await old.clean(BEGAN + timedelta(days=89)) == []


async def test_a_run_that_was_reopened_or_is_held_is_not_looked_at(old: Old) -> None:
    old.run.user.git("merge", "--quiet", BRANCH)
    with lock_orphan(old.root, RUN):
        held = await old.clean()
    old.record(RunReopened("resume", RUN_LIMITS))

    assert (held, await old.clean(), old.log()) == ([], [], 5)


async def test_a_run_that_was_cleaned_is_not_reopened(old: Old) -> None:
    old.run.user.git("merge", "--quiet", BRANCH)
    await old.clean()

    with pytest.raises(StoreError, match="the log of run 9abcdef0 was cleaned away"):
        old.record(RunReopened("resume", RUN_LIMITS))


async def test_what_a_cut_clean_left_is_removed_by_the_next(old: Old) -> None:
    old.run.user.git("merge", "--quiet", BRANCH)
    await old.clean()
    (old.files / "tree").mkdir(parents=True)

    assert await old.clean() == [DropRun("it made no commits")]
    assert not old.files.exists()


async def test_a_worker_cleans_once_a_day_and_says_what_it_removes(old: Old) -> None:
    said: list[str] = []
    await clean_daily(old.environment, now=LATER, report=said.append)
    old.run.user.git("merge", "--quiet", BRANCH)
    await clean_daily(old.environment, now=LATER + timedelta(hours=23), report=said.append)
    too_early = list(said)
    await clean_daily(old.environment, now=LATER + timedelta(hours=25), report=said.append)

    assert too_early == []
    assert said == ["removing the files of run 9abcdef0: its work is in another branch"]


def test_the_command_says_what_it_keeps_and_removes(
    old: Old, capsys: pytest.CaptureFixture[str]
) -> None:
    given = CommandContext(old.environment, old.run.project.root)
    codes = [run_command(("clean", "--older-than", "0"), given)]
    old.run.user.git("merge", "--quiet", BRANCH)
    codes += [
        run_command(("clean", "--older-than", "0", *dry), given) for dry in (["--dry-run"], [])
    ]
    codes += [run_command(("clean",), given)]

    out, err = capsys.readouterr()
    place = old.run.project.root
    assert codes == [0, 0, 0, 0]
    assert [line.partition(", ended ")[0] for line in out.splitlines()] == [
        "kept 9abcdef0",
        "would remove 9abcdef0",
        "removed 9abcdef0",
    ]
    assert out.splitlines()[-1].endswith(f" in {place}: its work is in another branch")
    assert err.splitlines() == [
        f"Nothing to remove of runs that ended at least {days} days ago (--older-than)."
        for days in (0, 90)
    ]


async def test_a_worker_keeps_runs_as_long_as_their_project_says(old: Old) -> None:
    said: list[str] = []
    old.run.user.git("merge", "--quiet", BRANCH)
    settings = old.run.project.root / "treadle.toml"
    for day, text in enumerate(("retention.days = 200", "retention = 1", "retention.days = 90")):
        settings.write_text(f"version = 1\n{text}\n")
        await clean_daily(old.environment, now=LATER + timedelta(days=2 * day), report=said.append)

    unread, removed = said
    assert unread.startswith(f"not cleaning up after {old.run.project.root}: ")
    assert removed == "removing the files of run 9abcdef0: its work is in another branch"


async def test_a_worker_deletes_what_the_engine_kept_of_runs_that_are_over(old: Old) -> None:
    location = engine_location(old.environment.storage)
    for name in ("over", "waiting"):
        enqueue(location, name, ENGINE_WORKFLOW, {})
    forget(location, "over")
    now = datetime.now(UTC)
    await clean_daily(old.environment, now=now + timedelta(days=89), report=print)
    kept = find_workflow(location, "over")
    await clean_daily(old.environment, now=now + timedelta(days=91), report=print)

    assert kept is not None
    assert find_workflow(location, "over") is None
    assert find_workflow(location, "waiting") is not None


@pytest.mark.slow
@pytest.mark.parametrize("part", ["home", "tree.damaged-1"])
async def test_a_run_whose_files_are_very_deep_goes(part: str, old: Old) -> None:
    old.run.user.git("merge", "--quiet", BRANCH)
    (old.files / part).mkdir()
    dig(old.files / part)

    assert await old.clean() == [DropRun("its work is in another branch")]
    assert not old.files.exists()


def test_a_run_that_cannot_be_removed_does_not_keep_the_others(old: Old) -> None:
    other = make_run_id(unix_ms=1_700_000_000_001, random_bits=0x1234_5678_9ABC_DEF1)
    old.run.user.git("merge", "--quiet", BRANCH)
    with closing(open_store(old.environment.storage)) as store:
        store.append(other, [(BEGAN, run_started(other)), (BEGAN, ENDED)])
    places = [old.files, run_directory(old.root, other)]
    places[1].mkdir()
    old.files.parent.chmod(0o500)

    cleaned = subprocess.run(
        [*without_the_rights_of_root(), sys.executable, "-m", "treadle", "clean"],
        cwd=old.run.project.root,
        env={**old.run.user.environment, "TREADLE_ROOT": str(old.root)},
        capture_output=True,
        text=True,
        check=False,
    )

    old.files.parent.chmod(0o700)
    refused = [f"cannot remove all of {place}: Permission denied" for place in places]
    assert cleaned.stderr.splitlines() == [
        f"removed 9abcdef0 only in part: {refused[0]}",
        f"removed 9abcdef1 only in part: {refused[1]}",
        "treadle: the files of 2 runs could not all be removed",
        "  hint: check their permissions with `ls -ld`, then clean again",
    ]
    assert (cleaned.returncode, [place.exists() for place in places]) == (1, [True, True])


async def test_what_a_setup_installed_goes_with_the_next_clean(old: Old) -> None:
    installed = old.files / "proving" / "bases" / "key" / "work" / "node_modules"
    installed.mkdir(parents=True)

    assert await old.clean(BEGAN + timedelta(days=1), dry_run=True) == []
    assert installed.exists()
    assert await old.clean(BEGAN + timedelta(days=1)) == []
    assert not (old.files / "proving" / "bases").exists()
    assert old.files.exists()
