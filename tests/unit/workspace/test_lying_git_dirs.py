"""Whatever an agent's git directory says about its history, what is judged is what lands."""

import shutil
from pathlib import Path

import pytest

from tests.unit.policy.secret_samples import GITHUB
from treadle.policy.secret_search import SecretSearch
from treadle.workspace.commits import CommittedRound
from treadle.workspace.git import GitFailed
from treadle.workspace.quarantine import fetch_round
from treadle.workspace.round_work import RoundWork
from treadle.workspace.secret_scan import ForbiddenContent, screen_round

from .lying_git_dirs import (
    LIES,
    Lie,
    graft_away,
    lie_in_commit_graph,
    lie_in_split_commit_graph,
    make_shallow,
)
from .real_git import Repository, empty_repository, repository_in
from .workspace_harness import WorkspaceHarness, make_harness

REFUSED = (make_shallow, graft_away, lie_in_commit_graph, lie_in_split_commit_graph)
EVERY_LIE = pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())


@pytest.fixture
async def harness(tmp_path: Path) -> WorkspaceHarness:
    return await make_harness(tmp_path, repository_in(tmp_path))


def commit_and_hide(agent: Repository, lie: Lie) -> None:
    """A secret in one commit, taken out in the next, and a lie about it."""
    agent.commit("Bad", data=f"{GITHUB}\n", good="1\n")
    agent.commit("Good", data="harmless\n", good="2\n")
    lie(agent)
    assert GITHUB not in agent.git("log", "-p"), "git in the clone believes the lie"


def assert_clean_import(harness: WorkspaceHarness) -> None:
    files = harness.imported_files()
    assert (files["data"], files["good"]) == ("harmless", "2")
    assert not harness.holds(GITHUB)
    assert harness.user.git("fsck", "--no-dangling") == ""
    assert not (harness.user.git_dir / "shallow").exists()
    assert harness.user.refs("refs/replace") == {}


@EVERY_LIE
async def test_a_lie_about_the_history_brings_no_credential_in(
    harness: WorkspaceHarness, lie: Lie
) -> None:
    commit_and_hide(harness.agent, lie)

    await harness.round()

    assert_clean_import(harness)


@EVERY_LIE
async def test_the_judgement_sees_the_credential_in_a_clone_that_nobody_repaired(
    harness: WorkspaceHarness, lie: Lie
) -> None:
    """Or there is no judgement, because the fetch does not get all that the commits need."""
    commit_and_hide(harness.agent, lie)
    clone, tip = harness.workspace._clone, harness.agent.git("rev-parse", "HEAD")

    try:
        quarantine = await fetch_round(clone, tip, clone.base)
        work = RoundWork(clone, clone.base, "Round", quarantine, started_at=0)
        screened = await screen_round(work, CommittedRound(tip), ForbiddenContent(SecretSearch([])))
    except GitFailed:
        assert lie in REFUSED
        return

    assert [path.path for path in screened.only_in_history] == ["data"]
    kept = screened.committed.tip
    assert GITHUB not in await quarantine.git.run("log", "-p", kept)


def other_repository(tmp_path: Path) -> Repository:
    """A repository of the user's that no agent can read, and that a host process could."""
    other = empty_repository(tmp_path, "other")
    other.write("private", "nobody else's business\n")
    other.commit("Private")
    return other


async def test_alternates_that_an_agent_wrote_bring_no_objects_of_another_repository(
    harness: WorkspaceHarness, tmp_path: Path
) -> None:
    other = other_repository(tmp_path)
    harness.agent.commit("Work", good="1\n")
    blob = other.git("rev-parse", "HEAD:private")
    alternates = harness.agent.git_dir / "objects/info/alternates"
    alternates.write_text(alternates.read_text() + f"{other.git_dir / 'objects'}\n")
    harness.agent.git("update-index", "--add", "--cacheinfo", f"100644,{blob},stolen")
    harness.agent.git("commit", "--quiet", "-m", "Steal")

    await harness.round()

    assert not harness.holds("nobody else's business")
    assert harness.imported_files()["good"] == "1"
    assert harness.user.git("fsck", "--no-dangling") == ""


async def test_alternates_in_a_quarter_of_the_clone_are_not_followed(
    harness: WorkspaceHarness, tmp_path: Path
) -> None:
    """The alternates of an alternate are followed by git; those of the clone are the project's."""
    other = other_repository(tmp_path)
    middle = harness.agent.path / "middle/info"
    middle.mkdir(parents=True)
    (middle / "alternates").write_text(f"{other.git_dir / 'objects'}\n")
    alternates = harness.agent.git_dir / "objects/info/alternates"
    alternates.write_text(f"{alternates.read_text()}{middle.parent}\n")
    (harness.agent.git_dir / "objects/info/http-alternates").write_text(f"{middle.parent}\n")
    blob = other.git("rev-parse", "HEAD:private")
    harness.agent.git("update-index", "--add", "--cacheinfo", f"100644,{blob},stolen")
    harness.agent.git("commit", "--quiet", "-m", "Steal")
    harness.agent.write("good", "1\n")

    await harness.round()

    assert not harness.holds("nobody else's business")
    assert harness.imported_files()["good"] == "1"


@pytest.mark.parametrize("file", ["commondir", "gitdir", "worktrees/one/commondir"])
async def test_a_git_directory_that_points_to_another_one_brings_nothing_of_it(
    harness: WorkspaceHarness, tmp_path: Path, file: str
) -> None:
    other = other_repository(tmp_path)
    harness.agent.commit("Work", good="1\n")
    pointer = harness.agent.git_dir / file
    pointer.parent.mkdir(parents=True, exist_ok=True)
    pointer.write_text(f"{other.git_dir}\n")

    await harness.round()

    assert not harness.holds("nobody else's business")
    assert harness.imported_files()["good"] == "1"
    assert other.git("status", "--porcelain") == ""


@pytest.mark.parametrize("how", ["config", "config.worktree"])
async def test_a_work_tree_elsewhere_brings_none_of_its_files(
    harness: WorkspaceHarness, tmp_path: Path, how: str
) -> None:
    other = other_repository(tmp_path)
    harness.agent.write("good", "1\n")
    if how == "config":
        harness.agent.git("config", "core.worktree", str(other.path))
    else:
        harness.agent.git("config", "extensions.worktreeConfig", "true")
        harness.agent.git("config", "--worktree", "core.worktree", str(other.path))

    await harness.round()

    assert not harness.holds("nobody else's business")
    assert harness.imported_files()["good"] == "1"
    assert other.git("status", "--porcelain") == ""


@pytest.mark.parametrize("address", ["ext::sh -c touch% {trap}", "{other}", "file://{other}"])
async def test_a_clone_that_promises_objects_elsewhere_fetches_none(
    harness: WorkspaceHarness, tmp_path: Path, address: str
) -> None:
    other = other_repository(tmp_path)
    trap = tmp_path / "sprung"
    agent = harness.agent
    agent.commit("Work", good="1\n")
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.partialCloneFilter": "blob:none",
        "remote.origin.url": address.format(trap=trap, other=other.path),
        "protocol.ext.allow": "always",
    }.items():
        agent.git("config", name, value)
    blob = other.git("rev-parse", "HEAD:private")
    listing = agent.write(".git/listing", f"100644 blob {blob}\tstolen\n")
    tree = agent.git("-c", f"alias.mk=!git mktree --missing < '{listing}'", "mk")
    tip = agent.git("commit-tree", tree, "-p", "HEAD", "-m", "Promised")
    agent.git("update-ref", agent.git("symbolic-ref", "HEAD"), tip)

    await harness.round()

    assert (trap.exists(), harness.holds("nobody else's business")) == (False, False)
    assert harness.imported_files()["good"] == "1"
    assert harness.user.git("fsck", "--no-dangling") == ""


async def test_a_clone_that_was_made_anew_with_other_hashes_loses_no_file(
    harness: WorkspaceHarness,
) -> None:
    agent = harness.agent
    shutil.rmtree(agent.git_dir)
    agent.git("init", "--quiet", "--object-format=sha256")
    agent.write("good", "1\n")
    agent.git("add", "-A")
    agent.git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "-m", "Other")

    await harness.round()

    [aside] = harness.user.refs("refs/treadle/aside").values()
    files = harness.user.tree(aside)
    assert (files["good"], files["kept.txt"]) == ("1", "kept")
    assert harness.user.git("fsck", "--no-dangling") == ""


async def test_a_clone_that_says_its_refs_are_in_tables_loses_no_work(
    harness: WorkspaceHarness,
) -> None:
    agent = harness.agent
    tip = agent.commit("Work", good="1\n")
    agent.git("config", "core.repositoryFormatVersion", "1")
    agent.git("config", "extensions.refStorage", "reftable")
    git_dir = agent.path / ".git"
    (git_dir / "reftable").mkdir()
    (git_dir / "reftable/tables.list").write_text("0x000000000001-0x000000000002-1.ref\n")
    agent.write("left", "2\n")

    await harness.round()

    files = harness.imported_files()
    assert (files["good"], files["left"]) == ("1", "2")
    [imported] = harness.user.refs("refs/heads/treadle").values()
    assert harness.user.git("rev-parse", f"{imported}~1") == tip


async def test_refs_that_moved_to_tables_leave_the_files(harness: WorkspaceHarness) -> None:
    """As `git refs migrate` leaves them: HEAD names no branch, and `refs/heads` is a file."""
    agent = harness.agent
    agent.commit("Work", good="1\n")
    agent.git("config", "extensions.refStorage", "reftable")
    git_dir = agent.path / ".git"
    shutil.rmtree(git_dir / "refs")
    (git_dir / "refs").mkdir()
    (git_dir / "refs/heads").write_text("this repository uses the reftable format\n")
    (git_dir / "HEAD").write_text("ref: refs/heads/.invalid\n")

    await harness.round()

    assert harness.imported_files()["good"] == "1"
    assert harness.user.git("fsck", "--no-dangling") == ""
