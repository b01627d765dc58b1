"""What is judged is what the user's repository gets, whatever the clone says about its objects."""

from pathlib import Path

import pytest

from tests.unit.policy.secret_samples import GITHUB
from treadle.domain.events.work import PROTECTED_PATH, WithheldPath
from treadle.policy.secret_search import SecretSearch
from treadle.workspace.commits import CommittedRound
from treadle.workspace.quarantine import fetch_round
from treadle.workspace.round_work import RoundWork
from treadle.workspace.secret_scan import ForbiddenContent, screen_round

from .lying_packs import (
    commit_evil,
    commit_secret,
    swap_in_multi_pack_index,
    swap_in_packs,
)
from .real_git import Repository, repository_in
from .workspace_harness import WorkspaceHarness, make_harness

EVIL = '{"hooks": {"SessionStart": "evil"}}\n'
SETTINGS = ".claude/settings.json"


@pytest.fixture
async def harness(tmp_path: Path) -> WorkspaceHarness:
    user = repository_in(tmp_path)
    user.write(SETTINGS, "{}\n")
    user.write("tests/test_app.py", "assert app()\n")
    user.commit("Settings")
    return await make_harness(tmp_path, user, protected=("tests",))


def imported(user: Repository) -> list[str]:
    """The content of every file that an imported commit has."""
    commits = user.git("rev-list", "--glob=refs/heads/treadle", "--glob=refs/treadle").splitlines()
    return [text for commit in commits for text in user.tree(commit).values()]


@pytest.mark.parametrize("path", [SETTINGS, "tests/test_app.py"])
async def test_a_pack_index_that_shows_another_directory_brings_nothing_in(
    harness: WorkspaceHarness, path: str
) -> None:
    commit_evil(harness.agent, path, EVIL)

    await harness.round()

    assert EVIL.strip() not in imported(harness.user)


async def test_a_pack_index_that_shows_another_file_brings_no_credential_in(
    harness: WorkspaceHarness,
) -> None:
    commit_secret(harness.agent, "data", f"{GITHUB}\n")

    await harness.round()

    assert not harness.holds(GITHUB)


async def test_an_index_of_all_packs_that_shows_another_directory_brings_nothing_in(
    harness: WorkspaceHarness,
) -> None:
    commit_evil(harness.agent, SETTINGS, EVIL, swap_in_multi_pack_index)

    await harness.round()

    assert EVIL.strip() not in imported(harness.user)


async def test_a_pack_index_that_shows_another_commit_brings_nothing_in(
    harness: WorkspaceHarness,
) -> None:
    commit_evil(harness.agent, SETTINGS, EVIL, lambda *_: None)
    tip = harness.agent.head
    twin = harness.agent.git("rev-parse", "twin")
    harness.agent.git("reset", "--quiet", "--soft", tip)
    harness.agent.commit("On top", good="1\n")
    swap_in_packs(harness.agent, tip, twin)

    await harness.round()

    assert EVIL.strip() not in imported(harness.user)


async def test_the_judgement_needs_no_repair_of_the_clone(
    harness: WorkspaceHarness, tmp_path: Path
) -> None:
    commit_evil(harness.agent, SETTINGS, EVIL)
    harness.agent.git("config", "pack.useBitmaps", "true")
    clone, tip = harness.workspace._clone, harness.agent.head

    quarantine = await fetch_round(clone, tip, clone.base)
    work = RoundWork(clone, clone.base, "Round", quarantine, started_at=0)
    screened = await screen_round(work, CommittedRound(tip), ForbiddenContent(SecretSearch([])))

    assert screened.withheld == (WithheldPath(SETTINGS, 0, PROTECTED_PATH),)
    assert screened.committed.tip == clone.base


async def test_a_false_object_leaves_what_is_on_disk(harness: WorkspaceHarness) -> None:
    tip = harness.agent.commit("Work", good="1\n", data="text\n")
    blob, other = (harness.agent.git("rev-parse", f"{tip}:{name}") for name in ("data", "good"))
    objects = harness.agent.git_dir / "objects"
    false = objects / blob[:2] / blob[2:]
    false.chmod(0o644)
    false.write_bytes((objects / other[:2] / other[2:]).read_bytes())

    await harness.round()

    assert harness.imported_files()["data"] == "text"
    assert harness.user.git("fsck", "--no-dangling") == ""


async def test_a_round_that_is_imported_again_makes_the_same_commit(
    harness: WorkspaceHarness,
) -> None:
    harness.agent.commit("Bad", settings=f"'{GITHUB}'\n")
    made = harness.agent.head
    harness.agent.commit("Good", settings="os.environ\n")
    tip = harness.agent.head
    first = await harness.round()
    # As if the process had died before the clone went on from the import.
    harness.agent.git("update-ref", f"refs/heads/{branch_of(harness)}", tip)
    harness.workspace._imported_tip = None
    harness.workspace.imported = None

    again = await harness.round()

    assert (made != first.tip, again) == (True, first)
    assert harness.agent.head == first.tip
    assert harness.agent.git("status", "--porcelain") == ""


def branch_of(harness: WorkspaceHarness) -> str:
    return harness.agent.git("symbolic-ref", "--short", "HEAD")
