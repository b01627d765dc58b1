"""Protected paths are imported unchanged, however an agent changed them."""

from pathlib import Path

import pytest

from tests.unit.workspace.real_git import repository_in
from tests.unit.workspace.workspace_harness import WorkspaceHarness, make_harness
from treadle.domain.events.work import PROTECTED_PATH, WithheldPath
from treadle.workflows.loop.withheld_files import withheld_prompt
from treadle.workflows.loop.workspace_spec import ImportedTip
from treadle.workspace.quarantine import MOST_ASIDES

EVIL = "evil\n"
OURS = {"treadle.toml": "version = 1", "tools/guard.py": "guard"}


@pytest.fixture
async def harness(tmp_path: Path) -> WorkspaceHarness:
    user = repository_in(tmp_path)
    for name, text in OURS.items():
        user.write(name, text)
    user.commit("Settings and a hook")
    return await make_harness(tmp_path, user, protected=("tools/guard.py",))


def protected(*paths: str) -> list[WithheldPath]:
    return [WithheldPath(path, 0, PROTECTED_PATH) for path in paths]


def index_only(harness: WorkspaceHarness, path: str, text: str = EVIL) -> None:
    """Into the index past the disk, where a sandbox holds the path."""
    scratch = harness.agent.path.parent / "scratch"
    scratch.write_text(text)
    blob = harness.agent.git("hash-object", "-w", str(scratch))
    harness.agent.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
    harness.agent.git("update-index", "--skip-worktree", path)


PATHS = [
    "treadle.toml",
    ".treadle/status.json",
    ".claude/settings.json",
    "web/.Claude/settings.json",
    ".mcp.json",
    ".vscode/tasks.json",
    ".envrc",
    "tools/guard.py",
]


@pytest.mark.parametrize("path", PATHS)
async def test_a_commit_made_without_files_imports_no_protected_path(
    harness: WorkspaceHarness, path: str
) -> None:
    index_only(harness, path)
    harness.agent.write("good", "1\n")
    harness.agent.git("add", "good")
    harness.agent.git("commit", "--quiet", "-m", "Work")

    await harness.round()

    assert harness.withheld == protected(path)
    assert (
        harness.imported_files()
        == {"kept.txt": "kept", "changed.txt": "before", "good": "1"} | OURS
    )
    assert not harness.holds(EVIL.strip())


@pytest.mark.parametrize("path", PATHS)
async def test_nor_does_what_is_only_staged(harness: WorkspaceHarness, path: str) -> None:
    index_only(harness, path)
    harness.agent.write("good", "1\n")

    await harness.round()

    assert (
        harness.imported_files()
        == {"kept.txt": "kept", "changed.txt": "before", "good": "1"} | OURS
    )


async def test_files_on_the_disk_are_left_out_of_our_own_commit(harness: WorkspaceHarness) -> None:
    harness.agent.write("web/.claude/settings.json", EVIL)
    harness.agent.write("treadle.toml", EVIL)
    (harness.agent.path / "tools" / "guard.py").unlink()
    harness.agent.write("good", "1\n")

    imported = await harness.round()

    assert imported.lost.startswith("an agent must not change what is protected (")
    assert sorted(place.path for place in harness.withheld) == [
        *("tools/guard.py", "treadle.toml", "web/.claude/settings.json"),
    ]
    assert harness.imported_files()["good"] == "1"
    assert harness.imported_files().keys() == {"kept.txt", "changed.txt", "good", *OURS}
    assert (harness.agent.path / "web/.claude/settings.json").read_text() == EVIL


async def test_a_file_of_the_project_that_only_goes_is_put_back(harness: WorkspaceHarness) -> None:
    harness.agent.write("good", "1\n")
    await harness.round()
    (harness.agent.path / "treadle.toml").unlink()

    await harness.round()

    assert harness.withheld == protected("treadle.toml")
    assert "treadle.toml" in harness.imported_files()


async def test_what_was_changed_and_put_back_leaves_no_trace_in_history(
    harness: WorkspaceHarness,
) -> None:
    harness.agent.write("treadle.toml", EVIL)
    harness.agent.commit("Bad")
    harness.agent.write("treadle.toml", OURS["treadle.toml"])
    harness.agent.commit("Good", good="1\n")

    assert await harness.round() == ImportedTip(harness.agent.head)

    assert harness.withheld == protected("treadle.toml")
    assert not harness.holds(EVIL.strip())


async def test_a_file_or_a_repository_in_the_place_of_a_directory_does_not_take_it(
    harness: WorkspaceHarness,
) -> None:
    head = harness.agent.head
    harness.agent.git("rm", "-q", "-r", "tools")
    harness.agent.write("tools", EVIL)
    harness.agent.git("add", "tools")
    harness.agent.git("update-index", "--add", "--cacheinfo", f"160000,{head},.claude")
    harness.agent.git("commit", "--quiet", "-m", "Work")

    await harness.round()

    assert harness.withheld == protected(".claude", "tools/guard.py")
    # Nothing else was in it.
    assert harness.user.refs("refs/heads/treadle") == {}


async def test_commits_that_an_agent_names_as_set_aside_are_looked_through(
    harness: WorkspaceHarness,
) -> None:
    start = harness.agent.head
    index_only(harness, ".claude/settings.json")
    harness.agent.git("commit", "--quiet", "-m", "Aside")
    harness.agent.git("update-ref", f"refs/treadle/aside/{harness.agent.head}", "HEAD")
    harness.agent.git("reset", "--quiet", "--hard", start)
    harness.agent.write("good", "1\n")

    await harness.round()

    assert harness.user.refs("refs/treadle/aside") == {}
    assert harness.imported_files()["good"] == "1"
    assert not harness.holds(EVIL.strip())


TAG = "object {commit}\ntype commit\ntag x\ntagger A <a@b.c> 0 +0000\n\n{text}\n"


async def test_refs_that_no_run_makes_are_not_imported(harness: WorkspaceHarness) -> None:
    agent, aside = harness.agent, "refs/treadle/aside"
    text = TAG.format(commit=agent.head, text="AKIAIOSFODNN7ABCDEFG")
    tag = agent.git("hash-object", "-t", "tag", "-w", "--stdin", stdin=text)
    blob = agent.git("hash-object", "-w", "--stdin", stdin="a")
    tree = agent.git("rev-parse", "HEAD^{tree}")
    agent.git("update-ref", f"{aside}/tagged", tag)
    for name in (tag, blob, tree):
        agent.git("update-ref", f"{aside}/{name}", name)
    agent.git("update-ref", f"{aside}/deep/{agent.head}", "HEAD")
    agent.git("update-ref", f"{aside}/{blob[:20]}", "HEAD")
    agent.write("good", "1\n")

    await harness.round()

    assert harness.user.refs(aside) == {}
    assert not harness.holds("AKIAIOSFODNN7ABCDEFG")
    assert harness.imported_files()["good"] == "1"


async def test_an_agent_brings_in_few_refs_however_many_it_makes(
    harness: WorkspaceHarness,
) -> None:
    start, commits = harness.agent.head, []
    tree = f"{start}^{{tree}}"
    for number in range(3 * MOST_ASIDES):
        commits.append(harness.agent.git("commit-tree", "-p", start, "-m", f"{number}", tree))
    lines = "".join(f"create refs/treadle/aside/{commit} {commit}\n" for commit in commits)
    harness.agent.git("update-ref", "--stdin", stdin=lines)
    harness.agent.git("pack-refs", "--all")
    harness.agent.write("good", "1\n")

    await harness.round()

    assert len(harness.user.refs("refs/treadle/aside")) == MOST_ASIDES
    assert harness.imported_files()["good"] == "1"


async def test_the_agent_learns_of_it_and_a_reported_loss_no_longer_counts(
    harness: WorkspaceHarness,
) -> None:
    harness.agent.write(".envrc", EVIL)
    harness.agent.write("good", "1\n")
    first = await harness.round()
    assert "- .envrc\n" in withheld_prompt(harness.workspace.withheld)
    # Asked again before the next round, as after a crash.
    assert (await harness.round()).lost == first.lost

    harness.workspace.begin_round()
    harness.agent.write("better", "2\n")
    imported = await harness.round()

    assert (first.lost != "", imported.lost) == (True, "")
    assert harness.workspace.withheld == tuple(protected(".envrc"))
    assert harness.imported_files().keys() == {"kept.txt", "changed.txt", "good", "better", *OURS}


async def test_what_the_user_has_there_comes_and_goes_as_before(harness: WorkspaceHarness) -> None:
    harness.agent.write("docs/treadle.toml", "an example\n")
    harness.agent.write("tools/other.py", "1\n")

    assert await harness.round() == ImportedTip(harness.agent.head)

    assert harness.imported_files().keys() == {
        *("kept.txt", "changed.txt", "docs/treadle.toml", "tools/other.py"),
        *OURS,
    }


async def test_paths_and_patterns_of_the_settings_are_imported_unchanged(
    tmp_path: Path,
) -> None:
    user = repository_in(tmp_path)
    ours = {"tests/contract/a.py": "a", "web/cart.snap": "b", "tests/b.py": "c"}
    for name, text in ours.items():
        user.write(name, text)
    user.commit("Tests")
    harness = await make_harness(tmp_path, user, protected=("tests/contract", "web/**/*.snap"))
    (harness.agent.path / "tests/contract/a.py").unlink()
    harness.agent.commit("Without the test that fails")
    harness.agent.write("web/cart.snap", EVIL)
    harness.agent.write("web/deep/er/new.snap", EVIL)
    harness.agent.write("tests/contract/conftest.py", EVIL)
    harness.agent.write("tests/b.py", "better")

    await harness.round()

    assert sorted(place.path for place in harness.withheld) == [
        *("tests/contract/a.py", "tests/contract/conftest.py"),
        *("web/cart.snap", "web/deep/er/new.snap"),
    ]
    before = {"kept.txt": "kept", "changed.txt": "before"}
    assert harness.imported_files() == before | ours | {"tests/b.py": "better"}
