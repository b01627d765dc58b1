"""What is dropped comes back whole, also after an interruption, and so do destroyed commits."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.unit.runs.old_runs import RunsHarness, StoredRun
from treadle.domain.errors import ProjectError, UsageError
from treadle.domain.events.work import WorkDropped, WorkRestored
from treadle.runs.previous_runs import find_previous_runs, require_all_landed
from treadle.runs.undo import UndoReport
from treadle.workspace.project import find_project
from treadle.workspace.work_backup import MOST_REFS

DESTROY = (
    "echo lost > lost.txt && git add . && git commit -qm Lost && git reset -q --hard HEAD~1"
    " && git reflog expire --expire=now --expire-unreachable=now --all && git gc -q --prune=now"
)


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[RunsHarness]:
    harness = RunsHarness.within(tmp_path)
    yield harness
    harness.close()


async def worked(harness: RunsHarness, workflow: str = "deliver") -> StoredRun:
    """A run with one imported commit."""
    run = await harness.start(workflow)
    run.agent.commit("Work", new="work\n")
    await run.round()
    return run


async def destroyed(harness: RunsHarness) -> StoredRun:
    """A run whose session also made a commit and destroyed it."""
    run = await harness.start()
    watch = run.watch()
    watch.start()
    run.agent.git("-c", "alias.destroy=!" + DESTROY, "destroy")
    watch.stop()
    run.agent.commit("Work", new="work\n")
    await run.round()
    return run


async def test_dropped_work_is_gone_and_comes_back_whole(harness: RunsHarness) -> None:
    run = await worked(harness)
    tip = run.agent.head
    run.agent.write("progress.txt", "half\n")
    run.agent.git("rm", "--quiet", "--cached", "new")
    run.end()
    before = harness.user.state()

    report = await run.drop()
    dropped = (run.directory / "workspace").exists(), harness.user.refs("refs/heads/treadle")
    again = await run.undo()

    [branch] = report.dropped.branches
    assert (branch.branch, branch.commit) == (run.branch, tip)
    assert dropped == (False, {})
    assert harness.user.refs("refs/heads/treadle") == {f"refs/heads/{run.branch}": tip}
    assert again.branches == (run.branch,)
    assert (run.agent.path / "progress.txt").read_text() == "half\n"
    assert run.agent.git("status", "--porcelain") == ""
    assert harness.user.state() == before
    assert await run.undo() == UndoReport()


async def test_work_in_progress_goes_on_where_it_was(harness: RunsHarness) -> None:
    run = await worked(harness)
    run.agent.write("progress.txt", "half\n")
    run.end()
    await run.drop()
    await run.undo()

    await run.round()

    assert harness.user.tree(run.branch)["progress.txt"] == "half"


async def test_work_in_progress_never_enters_the_users_repository(harness: RunsHarness) -> None:
    run = await worked(harness)
    run.agent.write("secret.txt", "unjudged\n")
    run.end()
    await run.drop()
    await run.undo()

    blob = run.agent.git("hash-object", "secret.txt")
    listed = harness.user.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    assert blob not in listed.splitlines()


async def test_commits_that_a_session_destroyed_come_back(harness: RunsHarness) -> None:
    run = await destroyed(harness)
    run.end()

    report = await run.undo()

    [commit] = report.commits
    assert commit.subject == "Lost"
    assert harness.user.tree(commit.ref)["lost.txt"] == "lost"
    assert report.branches == ()
    assert await run.undo() == UndoReport()


async def test_a_killed_session_loses_nothing_by_a_drop(harness: RunsHarness) -> None:
    """Its commits are only linked, and its files only in the clone."""
    run = await worked(harness)
    watch = run.watch()
    watch.start()
    run.agent.git("-c", "alias.destroy=!" + DESTROY, "destroy")
    watch.stop()
    run.end()

    await run.drop()
    report = await run.undo()

    assert "Lost" in [commit.subject for commit in report.commits]


@pytest.mark.parametrize("left", ["branch", "workspace", "both"])
async def test_an_interrupted_drop_is_finished_or_undone(harness: RunsHarness, left: str) -> None:
    run = await worked(harness)
    tip = run.agent.head
    run.end()
    await run.drop()
    if left != "workspace":
        harness.user.git("update-ref", f"refs/heads/{run.branch}", tip)
    if left != "branch":
        (run.directory / "workspace").mkdir()

    report = await run.drop()
    await run.undo()

    assert report.dropped.branches[0].commit == tip
    assert harness.user.refs("refs/heads/treadle") == {f"refs/heads/{run.branch}": tip}


async def test_an_interrupted_undo_goes_on(harness: RunsHarness) -> None:
    run = await worked(harness)
    tip = run.agent.head
    run.agent.write("progress.txt", "half\n")
    run.end()
    report = await run.drop()
    await run.undo()
    # As if the last one had died before it could record anything.
    run.record(report.dropped)

    again = await run.undo()

    assert again.branches == (run.branch,)
    assert harness.user.refs("refs/heads/treadle") == {f"refs/heads/{run.branch}": tip}
    assert (run.agent.path / "progress.txt").read_text() == "half\n"


async def test_a_branch_of_that_name_is_left_alone(harness: RunsHarness) -> None:
    run = await worked(harness)
    tip = run.agent.head
    run.end()
    await run.drop()
    harness.user.git("branch", run.branch, "main")

    report = await run.undo()

    assert report.branches == (f"{run.branch}-2",)
    assert harness.user.git("rev-parse", f"{run.branch}-2") == tip
    assert harness.user.git("rev-parse", run.branch) == harness.user.head


async def test_a_branch_that_is_checked_out_is_not_dropped(harness: RunsHarness) -> None:
    run = await worked(harness)
    run.end()
    harness.user.git("checkout", "--quiet", run.branch)
    before = harness.user.state()

    with pytest.raises(ProjectError, match="is checked out") as refusal:
        await run.drop()

    assert refusal.value.hint.endswith("git switch main")
    assert harness.user.state() == before
    assert run.agent.path.exists()


async def test_work_of_the_user_on_the_branch_is_backed_up(harness: RunsHarness) -> None:
    run = await worked(harness)
    run.end()
    harness.user.git("checkout", "--quiet", run.branch)
    mine = harness.user.commit("Mine", mine="1\n")
    harness.user.git("checkout", "--quiet", "main")

    await run.drop()
    await run.undo()

    assert harness.user.git("rev-parse", run.branch) == mine


async def test_a_run_that_was_refused_for_unlanded_work_starts_after_a_drop(
    harness: RunsHarness,
) -> None:
    run = await worked(harness)
    run.end()
    harness.user.commit("Meanwhile", other="1\n")
    project = await find_project(harness.user.path, harness.user.environment)
    newer = type(run.id)("ffffffff-0000-7000-8000-000000000000")

    async def check() -> None:
        storage = harness.environment.storage
        previous = await find_previous_runs(storage, project, before=newer, rehearsal=True)
        require_all_landed(previous)

    with pytest.raises(ProjectError) as refusal:
        await check()
    await run.drop()
    await check()

    assert refusal.value.hint.endswith(f"`treadle drop {run.id[-8:]}`")


async def test_a_run_without_a_process_is_cancelled(harness: RunsHarness) -> None:
    run = await worked(harness)

    await run.drop()

    assert (run.row.state, run.row.reason) == ("ended", "cancelled")
    assert harness.user.refs("refs/heads/treadle") == {}


async def test_a_run_with_nothing_says_so(harness: RunsHarness) -> None:
    run = await worked(harness)
    run.end()
    await run.drop()

    with pytest.raises(UsageError, match="has no work to drop"):
        await run.drop()


async def test_force_drops_what_clean_keeps_and_its_backup_expires_later(
    harness: RunsHarness,
) -> None:
    run = await worked(harness)
    tip = run.agent.head
    run.end()
    name = run.id[-8:]

    kept = await harness.clean()
    forced = await harness.clean(force=True)
    backed_up = await harness.clean(force=True, later=timedelta(days=89))
    refs = harness.user.refs("refs/treadle/backup")
    expired = await harness.clean(later=timedelta(days=91))

    assert kept == [f"{name} KeepRun: {run.branch} is not merged"]
    assert forced == [f"{name} DropWork: {run.branch} is not merged"]
    assert backed_up == [f"{name} KeepRun: `treadle undo` can still restore what was removed"]
    assert list(refs.values()) == [tip]
    assert expired == [f"{name} DropRun: its backup has expired"]
    assert harness.user.refs("refs/treadle/backup") == {}
    assert not run.directory.exists()


async def test_commits_that_a_session_destroyed_outlive_a_clean(harness: RunsHarness) -> None:
    run = await destroyed(harness)
    run.end()
    harness.user.git("merge", "--quiet", run.branch)

    cleaned = await harness.clean()
    kept = await harness.clean(later=timedelta(days=89))
    report = await run.undo()
    expired = await harness.clean(later=timedelta(days=91))

    name = run.id[-8:]
    assert cleaned == [f"{name} DropRun: its work is in another branch"]
    assert not run.agent.path.exists()
    assert kept == [f"{name} KeepRun: `treadle undo` can still restore what was removed"]
    assert [commit.subject for commit in report.commits] == ["Lost"]
    assert expired == [f"{name} DropRun: its backup has expired"]
    assert not run.directory.exists()


async def test_events_name_what_was_dropped_and_restored(harness: RunsHarness) -> None:
    run = await worked(harness)
    run.end()
    await run.drop()
    await run.undo()

    events = [each.event for each in harness.stores[0].read(run.id)][-2:]
    dropped, restored = events
    assert isinstance(dropped, WorkDropped)
    assert [each.branch for each in dropped.branches] == [run.branch]
    assert restored == WorkRestored((run.branch,))


async def test_an_option_brings_back_commits_and_leaves_the_landing(harness: RunsHarness) -> None:
    run = await destroyed(harness)
    await harness.land(run)
    run.end()
    before = harness.user.state()

    report = await run.undo(commits_only=True)

    assert [commit.subject for commit in report.commits] == ["Lost"]
    assert report.landing is None
    assert harness.user.state() == before


@pytest.mark.timeout(300)  # git is asked about each
async def test_more_branches_than_a_person_makes_do_not_keep_work_from_being_dropped(
    harness: RunsHarness,
) -> None:
    # An agent makes them in a second; all of their names would not fit into one command.
    run = await worked(harness)
    run.agent.write("progress.txt", "half\n")
    text = "commit refs/{}/x{}\ncommitter A <a@b> {} +0000\ndata 1\nx\n"
    kinds = ("heads", "tags", "notes/deep/er")
    made = "".join(text.format(kinds[n % 3], n, 1_700_000_000 + n) for n in range(300))
    run.agent.git("fast-import", "--quiet", stdin=made)
    run.end()

    cleaned = await harness.clean(later=timedelta(days=1_000))
    report = await run.drop()
    again = await run.undo()

    assert [each.partition(" ")[2] for each in cleaned] == [
        "KeepRun: its clone holds work that is nowhere else"
    ]
    assert len(report.dropped.refs) == MOST_REFS
    assert report.missing == "it has 101 more branches and tags, and the newest are kept"
    assert (run.agent.path / "progress.txt").read_text() == "half\n"
    assert again.branches == (run.branch,)
