"""Commits that a session makes and destroys again are kept, within limits, whatever it does."""

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.unit.policy.secret_samples import GITHUB
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import CommitsKept
from treadle.workflows.loop.session_commits import TOO_MANY, watch_commits
from treadle.workspace.commit_store import keep_dropped_commits, links_folder, store_folder
from treadle.workspace.directory_events import DirectoryEvents, open_directory_events
from treadle.workspace.object_links import LinkLimits
from treadle.workspace.object_watch import ObjectWatch

from .real_git import RUN, Repository, empty_repository, repository_in
from .workspace_harness import WorkspaceHarness, make_harness

BACKUP = f"refs/treadle/backup/{RUN}/dropped"
ORPHAN = (
    "git checkout -q --orphan x && echo work > lost.txt && git add lost.txt && git commit -qm L"
)
BACK = "git checkout -qf treadle/work-9abcdef0 && git branch -qD x"
EXPIRE = "git reflog expire --expire=now --expire-unreachable=now --all && git gc -q --prune=now"
# Each is one line of a shell.
DESTRUCTIONS = {
    "an orphan branch that is deleted": f"{ORPHAN} && {BACK} && {EXPIRE}",
    "a hard reset": (
        "echo work > lost.txt && git add . && git commit -qm L && git reset -q --hard HEAD~1 &&"
        f" {EXPIRE}"
    ),
    "an amended commit": (
        "echo work > lost.txt && git add . && git commit -qm L && git rm -q lost.txt &&"
        f" echo other > new.txt && git add . && git commit -q --amend -m M && {EXPIRE}"
    ),
    "a dropped stash": (
        "echo work > lost.txt && git add . && git stash -q && git stash drop -q && git gc -q"
        " --prune=now"
    ),
    "a removed git directory": (
        "echo work > lost.txt && git add . && git commit -qm L && rm -rf .git lost.txt"
        " && git init -q"
    ),
    "a git directory that is made and removed twice": (
        "rm -rf .git && git init -q && echo work > lost.txt && git add . && git -c user.name=A -c"
        " user.email=a@b commit -qm L && rm -rf .git lost.txt && git init -q"
    ),
    "a commit in a pack": (
        "echo work > lost.txt && git add . && git commit -qm L && git repack -adq && git reset -q"
        f" --hard HEAD~1 && {EXPIRE}"
    ),
}


def no_events() -> DirectoryEvents | None:
    return None


@asynccontextmanager
async def session(harness: WorkspaceHarness, **options: object) -> AsyncIterator[ObjectWatch]:
    """What a session is to the workspace: something that writes while it is watched."""
    target = links_folder(harness.agent.path) / "objects"
    watch = ObjectWatch(harness.agent.path, target, **options)  # type: ignore[arg-type]
    watch.start()
    try:
        yield watch
    finally:
        watch.stop()


async def shell(agent: Repository, line: str) -> None:
    """Run a line as one tool use would."""
    done = await asyncio.to_thread(
        lambda: subprocess.run(
            ["/bin/sh", "-c", line],
            cwd=agent.path,
            env=dict(agent.environment),
            capture_output=True,
            check=False,
        )
    )
    assert done.returncode == 0, done.stderr.decode()


def store(harness: WorkspaceHarness) -> Repository:
    return Repository(store_folder(harness.agent.path), harness.user.environment)


def kept_files(harness: WorkspaceHarness) -> list[dict[str, str]]:
    """The files of each commit that a backup ref keeps."""
    if not store_folder(harness.agent.path).exists():
        return []
    kept = store(harness)
    assert kept.git("fsck", "--strict", "--no-dangling") == ""
    return [kept.tree(commit) for commit in kept.refs(BACKUP).values()]


def kept_events(harness: WorkspaceHarness) -> list[CommitsKept]:
    return [event for event in harness.events if isinstance(event, CommitsKept)]


@pytest.fixture
async def harness(tmp_path: Path) -> WorkspaceHarness:
    return await make_harness(tmp_path, repository_in(tmp_path))


@pytest.mark.parametrize("line", DESTRUCTIONS.values(), ids=DESTRUCTIONS.keys())
async def test_a_commit_that_one_shell_line_makes_and_destroys_is_kept(
    harness: WorkspaceHarness, line: str
) -> None:
    async with session(harness):
        await shell(harness.agent, line)

    await harness.round()

    assert "work" in [files.get("lost.txt") for files in kept_files(harness)]
    [event] = kept_events(harness)
    assert event.refs[0] == f"{BACKUP}/1"
    assert event.store == str(store_folder(harness.agent.path))


@pytest.mark.parametrize("events", [open_directory_events, no_events], ids=["events", "polling"])
async def test_what_one_tool_use_commits_no_later_one_can_destroy(
    harness: WorkspaceHarness, events: Callable[[], DirectoryEvents | None]
) -> None:
    async with session(harness, open_events=events) as watch:
        await shell(harness.agent, ORPHAN)
        watch.catch_up()
        await shell(harness.agent, BACK)
        watch.catch_up()
        await shell(harness.agent, EXPIRE)

    await harness.round()

    assert [files["lost.txt"] for files in kept_files(harness)] == ["work"]
    assert harness.user.refs("refs/treadle/backup") == {}


async def test_a_session_that_commits_nothing_starts_no_process_and_leaves_no_folder(
    harness: WorkspaceHarness,
) -> None:
    async with session(harness):
        harness.agent.write("new.txt", "new\n")
    had_links = links_folder(harness.agent.path).exists()

    await harness.round()

    assert (had_links, store_folder(harness.agent.path).exists()) == (False, False)
    assert kept_events(harness) == []


async def test_commits_that_are_imported_are_not_kept_twice(harness: WorkspaceHarness) -> None:
    async with session(harness):
        await shell(harness.agent, "echo 1 > a && git add a && git commit -qm A")
        await shell(harness.agent, "echo 2 > b && git add b && git commit -qm B && git gc -q")
        harness.agent.write("left", "uncommitted\n")

    await harness.round()

    assert (kept_events(harness), store_folder(harness.agent.path).exists()) == ([], False)
    assert not links_folder(harness.agent.path).exists()


async def test_commits_of_a_side_branch_are_kept_before_a_later_session_deletes_it(
    harness: WorkspaceHarness,
) -> None:
    async with session(harness):
        await shell(harness.agent, f"{ORPHAN} && git checkout -qf treadle/work-9abcdef0")
    await harness.round()
    async with session(harness):
        await shell(harness.agent, f"git branch -qD x && {EXPIRE}")
    await harness.round()

    assert [files["lost.txt"] for files in kept_files(harness)] == ["work"]
    assert len(kept_events(harness)) == 1


async def test_a_dropped_credential_never_reaches_the_users_repository(
    harness: WorkspaceHarness,
) -> None:
    async with session(harness):
        await shell(harness.agent, f"echo {GITHUB} > s && git add s && git commit -qm S")
        await shell(harness.agent, "git reset -q --hard HEAD~1")

    await harness.round()

    assert [files["s"] for files in kept_files(harness)] == [GITHUB]
    assert not harness.holds(GITHUB)


async def test_keeping_again_after_an_interruption_makes_the_same_refs(
    harness: WorkspaceHarness,
) -> None:
    clone = harness.workspace._clone
    async with session(harness):
        await shell(harness.agent, DESTRUCTIONS["a hard reset"])

    first = await keep_dropped_commits(clone, RUN, clone.base)
    again = await keep_dropped_commits(clone, RUN, clone.base)

    assert first == again
    assert first is not None
    assert (first.refs, first.commits) == ((f"{BACKUP}/1",), 1)


async def test_a_repository_with_long_hashes_is_kept_too(tmp_path: Path) -> None:
    user = empty_repository(tmp_path, object_format="sha256")
    user.write("kept.txt", "kept\n")
    user.commit("First")
    harness = await make_harness(tmp_path, user)
    async with session(harness):
        await shell(harness.agent, DESTRUCTIONS["a hard reset"])

    await harness.round()

    assert [files["lost.txt"] for files in kept_files(harness)] == ["work"]


async def test_objects_beyond_the_limits_are_not_linked(harness: WorkspaceHarness) -> None:
    limits = LinkLimits(objects=10, size=1 << 20)
    async with session(harness, limits=limits) as watch:
        for number in range(20):
            (harness.agent.path / f"f{number}").write_text(f"{number}\n")
        await shell(harness.agent, "git add . && git commit -qm Many && git reset -q --hard HEAD~1")
    linked = [path for path in links_folder(harness.agent.path).rglob("*") if path.is_file()]

    await harness.round()

    assert (len(linked), watch.is_cut) == (10, True)
    assert not links_folder(harness.agent.path).exists()


async def test_a_large_object_costs_only_the_commits_that_need_it(
    harness: WorkspaceHarness,
) -> None:
    limits = LinkLimits(size=100_000)
    async with session(harness, limits=limits) as watch:
        (harness.agent.path / "large").write_bytes(os.urandom(200_000))
        await shell(harness.agent, "git add large && git commit -qm Large")
        await shell(harness.agent, f"git reset -q --hard HEAD~1 && {EXPIRE}")
        await shell(harness.agent, DESTRUCTIONS["a hard reset"])

    await harness.round()

    assert (watch.is_cut, [files["lost.txt"] for files in kept_files(harness)]) == (True, ["work"])
    [warning] = [event.message for event in harness.events if isinstance(event, RunWarned)]
    assert warning.startswith("not all commits that the session dropped are kept: objects of some")


async def test_links_pipes_and_false_objects_in_the_clone_are_not_believed(
    harness: WorkspaceHarness, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("outside\n")
    async with session(harness):
        objects = harness.agent.git_dir / "objects"
        (objects / "aa").mkdir()
        (objects / "aa" / ("1" * 38)).symlink_to(secret)
        os.mkfifo(objects / "aa" / ("2" * 38))
        (objects / "aa" / ("3" * 38)).write_bytes(b"no object")
        (objects / "ab").symlink_to(tmp_path)
        harness.agent.git("hash-object", "-w", str(secret))
        await shell(harness.agent, DESTRUCTIONS["a hard reset"])
    linked = links_folder(harness.agent.path) / "objects"
    plain = all(path.is_file() and not path.is_symlink() for path in linked.glob("*/*"))

    await harness.round()

    assert (plain, (linked / "ab").exists()) == (True, False)
    assert [files["lost.txt"] for files in kept_files(harness)] == ["work"]


async def test_an_object_that_is_changed_after_it_was_linked_is_not_kept(
    harness: WorkspaceHarness,
) -> None:
    async with session(harness) as watch:
        await shell(harness.agent, "echo work > lost.txt && git add . && git commit -qm L")
        watch.catch_up()
        blob = harness.agent.git("rev-parse", "HEAD:lost.txt")
        file = harness.agent.git_dir / "objects" / blob[:2] / blob[2:]
        file.chmod(0o644)
        file.write_bytes(b"other")
        await shell(harness.agent, "git reset -q --hard HEAD~1")

    await harness.round()

    assert kept_files(harness) == []


async def test_a_hundred_dropped_commits_have_a_ref_each_and_more_do_not(
    harness: WorkspaceHarness,
) -> None:
    async with session(harness):
        tree = harness.agent.git("rev-parse", "HEAD^{tree}")
        await shell(
            harness.agent,
            f"for n in $(seq 105); do git commit-tree {tree} -p HEAD -m $n >/dev/null; done",
        )

    await harness.round()

    [event] = kept_events(harness)
    assert (len(event.refs), event.commits) == (100, 100)
    assert event.refs[-1] == f"{BACKUP}/100"


async def test_a_session_that_wrote_too_much_is_a_warning(harness: WorkspaceHarness) -> None:
    limits = LinkLimits(objects=1)
    async with watch_commits(harness.agent.path, harness.spec.log, limits):
        await shell(harness.agent, "echo 1 > a && git add a && git commit -qm A")

    assert harness.events[-1] == RunWarned(TOO_MANY)
