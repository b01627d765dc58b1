"""What decides over the user's machine comes home as it was, however an agent changed it."""

from pathlib import Path

import pytest

from treadle.domain.events.work import PROTECTED_PATH, WithheldPath
from treadle.workflows.loop.withheld_files import withheld_prompt
from treadle.workflows.loop.workspace_spec import ImportedTip

from .real_git import repository_in
from .worksite_stage import Stage, stage_in

EVIL = "evil\n"
OURS = {"treadle.toml": "version = 1", "tools/guard.py": "guard"}


@pytest.fixture
async def stage(tmp_path: Path) -> Stage:
    user = repository_in(tmp_path)
    for name, text in OURS.items():
        user.write(name, text)
    user.commit("Settings and a hook")
    return await stage_in(tmp_path, user, protected=("tools/guard.py",))


def protected(*paths: str) -> list[WithheldPath]:
    return [WithheldPath(path, 0, PROTECTED_PATH) for path in paths]


def index_only(stage: Stage, path: str, text: str = EVIL) -> None:
    """Into the index past the disk, where a sandbox holds the path."""
    scratch = stage.agent.path.parent / "scratch"
    scratch.write_text(text)
    blob = stage.agent.git("hash-object", "-w", str(scratch))
    stage.agent.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
    stage.agent.git("update-index", "--skip-worktree", path)


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
async def test_a_commit_made_past_the_disk_brings_no_protected_path_home(
    stage: Stage, path: str
) -> None:
    index_only(stage, path)
    stage.agent.write("good", "1\n")
    stage.agent.git("add", "good")
    stage.agent.git("commit", "--quiet", "-m", "Work")

    await stage.round()

    assert stage.withheld == protected(path)
    assert stage.home() == {"kept.txt": "kept", "changed.txt": "before", "good": "1"} | OURS
    assert not stage.holds(EVIL.strip())


@pytest.mark.parametrize("path", PATHS)
async def test_nor_does_what_is_only_staged(stage: Stage, path: str) -> None:
    index_only(stage, path)
    stage.agent.write("good", "1\n")

    await stage.round()

    assert stage.home() == {"kept.txt": "kept", "changed.txt": "before", "good": "1"} | OURS


async def test_files_on_the_disk_are_left_out_of_our_own_commit(stage: Stage) -> None:
    stage.agent.write("web/.claude/settings.json", EVIL)
    stage.agent.write("treadle.toml", EVIL)
    (stage.agent.path / "tools" / "guard.py").unlink()
    stage.agent.write("good", "1\n")

    home = await stage.round()

    assert home.lost.startswith("an agent must not change what is protected (")
    assert sorted(place.path for place in stage.withheld) == [
        *("tools/guard.py", "treadle.toml", "web/.claude/settings.json"),
    ]
    assert stage.home()["good"] == "1"
    assert stage.home().keys() == {"kept.txt", "changed.txt", "good", *OURS}
    assert (stage.agent.path / "web/.claude/settings.json").read_text() == EVIL


async def test_a_file_of_the_project_that_only_goes_is_put_back(stage: Stage) -> None:
    stage.agent.write("good", "1\n")
    await stage.round()
    (stage.agent.path / "treadle.toml").unlink()

    await stage.round()

    assert stage.withheld == protected("treadle.toml")
    assert "treadle.toml" in stage.home()


async def test_what_was_changed_and_put_back_leaves_no_trace_in_history(stage: Stage) -> None:
    stage.agent.write("treadle.toml", EVIL)
    stage.agent.commit("Bad")
    stage.agent.write("treadle.toml", OURS["treadle.toml"])
    stage.agent.commit("Good", good="1\n")

    assert await stage.round() == ImportedTip(stage.agent.head)

    assert stage.withheld == protected("treadle.toml")
    assert not stage.holds(EVIL.strip())


async def test_a_file_or_a_repository_in_the_place_of_a_directory_does_not_take_it(
    stage: Stage,
) -> None:
    head = stage.agent.head
    stage.agent.git("rm", "-q", "-r", "tools")
    stage.agent.write("tools", EVIL)
    stage.agent.git("add", "tools")
    stage.agent.git("update-index", "--add", "--cacheinfo", f"160000,{head},.claude")
    stage.agent.git("commit", "--quiet", "-m", "Work")

    await stage.round()

    assert stage.withheld == protected(".claude", "tools/guard.py")
    # Nothing else was in it.
    assert stage.user.refs("refs/heads/treadle") == {}


async def test_commits_that_an_agent_names_as_set_aside_are_looked_through(stage: Stage) -> None:
    start = stage.agent.head
    index_only(stage, ".claude/settings.json")
    stage.agent.git("commit", "--quiet", "-m", "Aside")
    stage.agent.git("update-ref", "refs/treadle/aside/mine", "HEAD")
    stage.agent.git("reset", "--quiet", "--hard", start)
    stage.agent.write("good", "1\n")

    await stage.round()

    assert stage.user.refs("refs/treadle/aside") == {}
    assert stage.home()["good"] == "1"
    assert not stage.holds(EVIL.strip())


async def test_the_agent_is_told_and_what_it_knows_is_no_loss_any_more(stage: Stage) -> None:
    stage.agent.write(".envrc", EVIL)
    stage.agent.write("good", "1\n")
    first = await stage.round()
    assert "- .envrc\n" in withheld_prompt(stage.worksite.withheld)
    # Asked again before the next round, as after a crash.
    assert (await stage.round()).lost == first.lost

    stage.worksite.begin_round()
    stage.agent.write("better", "2\n")
    home = await stage.round()

    assert (first.lost != "", home.lost) == (True, "")
    assert stage.worksite.withheld == tuple(protected(".envrc"))
    assert stage.home().keys() == {"kept.txt", "changed.txt", "good", "better", *OURS}


async def test_what_the_user_has_there_comes_and_goes_as_before(stage: Stage) -> None:
    stage.agent.write("docs/treadle.toml", "an example\n")
    stage.agent.write("tools/other.py", "1\n")

    assert await stage.round() == ImportedTip(stage.agent.head)

    assert stage.home().keys() == {
        *("kept.txt", "changed.txt", "docs/treadle.toml", "tools/other.py"),
        *OURS,
    }


async def test_what_the_settings_keep_comes_home_as_it_was_by_path_and_by_pattern(
    tmp_path: Path,
) -> None:
    user = repository_in(tmp_path)
    ours = {"tests/contract/a.py": "a", "web/cart.snap": "b", "tests/b.py": "c"}
    for name, text in ours.items():
        user.write(name, text)
    user.commit("Tests")
    stage = await stage_in(tmp_path, user, protected=("tests/contract", "web/**/*.snap"))
    (stage.agent.path / "tests/contract/a.py").unlink()
    stage.agent.commit("Without the test that fails")
    stage.agent.write("web/cart.snap", EVIL)
    stage.agent.write("web/deep/er/new.snap", EVIL)
    stage.agent.write("tests/contract/conftest.py", EVIL)
    stage.agent.write("tests/b.py", "better")

    await stage.round()

    assert sorted(place.path for place in stage.withheld) == [
        *("tests/contract/a.py", "tests/contract/conftest.py"),
        *("web/cart.snap", "web/deep/er/new.snap"),
    ]
    before = {"kept.txt": "kept", "changed.txt": "before"}
    assert stage.home() == before | ours | {"tests/b.py": "better"}
