"""A credential that an agent left in its work does not come home; everything else does."""

from pathlib import Path

import pytest

from tests.unit.policy.secret_samples import GITHUB, PASSWORD, PEM
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import WithheldPath, WorkspacePrepared
from treadle.workflows.loop.open_workspace import reopen_workspace
from treadle.workflows.loop.workspace_spec import ImportedTip

from .real_git import repository_in
from .worksite_stage import KNOWN, Stage, stage_in


@pytest.fixture
async def stage(tmp_path: Path) -> Stage:
    return await stage_in(tmp_path, repository_in(tmp_path))


async def test_a_file_with_a_credential_stays_in_the_workspace_and_the_rest_comes_home(
    stage: Stage,
) -> None:
    stage.agent.write("app.py", "import os\n")
    stage.agent.write("settings.py", f"one = 1\ntwo = '{GITHUB}'\n")

    home = await stage.round()

    assert stage.withheld == [WithheldPath("settings.py", 2, "a GitHub token")]
    assert home.lost == "what looks like a credential must not be committed (settings.py)"
    assert sorted(stage.home()) == ["app.py", "changed.txt", "kept.txt"]
    assert stage.agent.git("status", "--porcelain") == "?? settings.py"
    assert not stage.holds(GITHUB)


async def test_a_file_that_was_there_before_comes_home_as_it_was(stage: Stage) -> None:
    stage.agent.write("changed.txt", f"before\nkey: {KNOWN}\n")

    home = await stage.round()

    assert stage.withheld == [WithheldPath("changed.txt", 2, "a credential of yours")]
    assert home.tip == stage.worksite.snapshot
    assert stage.user.refs("refs/heads/treadle") == {}
    assert stage.agent.git("status", "--porcelain") == " M changed.txt"
    assert KNOWN in (stage.agent.path / "changed.txt").read_text()


async def test_commits_of_the_agents_own_come_home_as_one_without_it(stage: Stage) -> None:
    stage.agent.commit("Good", good="1\n")
    stage.agent.commit("Bad", bad=f"{PEM}\n")
    stage.agent.commit("Better", better="2\n")

    home = await stage.round()

    assert stage.withheld == [WithheldPath("bad", 2, "a private key")]
    assert (home.tip, home.lost) == (
        stage.agent.head,
        "what looks like a credential must not be committed (bad)",
    )
    assert sorted(stage.home()) == ["better", "changed.txt", "good", "kept.txt"]
    assert stage.agent.git("status", "--porcelain") == "?? bad"
    assert not stage.holds(PEM.splitlines()[1])


async def test_a_credential_that_was_taken_out_again_leaves_no_trace_in_history(
    stage: Stage,
) -> None:
    stage.agent.commit("Bad", settings=f"'{GITHUB}'\n")
    stage.agent.commit("Good", settings="os.environ\n")

    home = await stage.round()

    assert home == ImportedTip(stage.agent.head)
    assert stage.home()["settings"] == "os.environ"
    assert stage.withheld == []
    assert [event.message for event in stage.events if isinstance(event, RunWarned)] == [
        "commits that held what looks like a credential did not come home as such"
        " (settings, line 1: a GitHub token)"
    ]
    assert not stage.holds(GITHUB)


async def test_once_it_is_taken_out_all_comes_home(stage: Stage) -> None:
    stage.agent.write("settings.py", f"'{GITHUB}'\n")
    await stage.round()
    assert stage.worksite.withheld == tuple(stage.withheld)

    stage.agent.write("settings.py", "os.environ\n")
    home = await stage.round()

    assert home == ImportedTip(stage.agent.head)
    assert stage.home()["settings.py"] == "os.environ"
    assert stage.worksite.withheld == ()


async def test_one_that_is_left_for_rounds_is_left_out_each_time(stage: Stage) -> None:
    stage.agent.write("settings.py", f"'{GITHUB}'\n")
    await stage.round()
    stage.agent.write("app.py", "more\n")

    home = await stage.round()

    assert stage.withheld == [WithheldPath("settings.py", 1, "a GitHub token")] * 2
    assert home.lost != ""
    assert sorted(stage.home()) == ["app.py", "changed.txt", "kept.txt"]


async def test_another_process_knows_what_was_left_out(stage: Stage) -> None:
    stage.agent.write("settings.py", f"'{GITHUB}'\n")
    await stage.round()
    [prepared] = [event for event in stage.events if isinstance(event, WorkspacePrepared)]

    again = await reopen_workspace(stage.site, prepared, None)

    assert again.withheld == (WithheldPath("settings.py", 1, "a GitHub token"),)


async def test_what_the_repository_had_before_may_be_moved(stage: Stage, tmp_path: Path) -> None:
    stage.agent.commit("Theirs", old=f"'{GITHUB}'\n")
    # As if the user had it all along.
    before = stage.agent.head
    stage.user.git("fetch", "--quiet", str(stage.agent.path), before)
    stage.worksite._imported_tip = before
    stage.agent.git("mv", "old", "new")

    home = await stage.round()

    assert (home, stage.withheld) == (ImportedTip(stage.agent.head), [])


async def test_a_message_a_name_and_binary_text_are_looked_through(stage: Stage) -> None:
    stage.agent.commit(f"The key is {GITHUB}", good="1\n")
    stage.agent.write(f"{GITHUB}.txt", "x")
    (stage.agent.path / "binary").write_bytes(b"\0\xff" + GITHUB.encode("utf-16-le"))
    stage.agent.write(".gitattributes", "* -diff binary\n")

    await stage.round()

    assert {(place.path, place.line) for place in stage.withheld} == {
        ("binary", 1),
        (f"{GITHUB}.txt", 0),
    }
    assert "good" in stage.home()
    assert not stage.holds(GITHUB)
    assert not stage.holds(GITHUB.encode("utf-16-le").decode())


@pytest.mark.parametrize("name", ["a b", 'quo"te', "tab\there", "späte.txt", "-dash", "*", "dir/x"])
async def test_files_of_any_name_are_left_out(stage: Stage, name: str) -> None:
    stage.agent.write(name, f"'{GITHUB}'\n")
    stage.agent.write("good", "1\n")

    await stage.round()

    assert [place.path for place in stage.withheld] == [name]
    assert sorted(stage.home()) == ["changed.txt", "good", "kept.txt"]


async def test_what_was_set_aside_stays_in_the_clone(stage: Stage) -> None:
    stage.agent.commit("Work", one="1\n")
    await stage.round()
    stage.agent.git("checkout", "--quiet", "HEAD~1")
    stage.agent.write("one", f"'{GITHUB}'\n")

    home = await stage.round()

    assert home.lost == "the round's work could not be merged into the run's branch"
    assert stage.user.refs("refs/treadle/aside") == {}
    [kept] = stage.agent.refs("refs/treadle/withheld").values()
    assert GITHUB in stage.agent.tree(kept)["one"]
    assert not stage.holds(GITHUB)


async def test_a_large_file_is_looked_through_as_well(stage: Stage) -> None:
    stage.agent.write("large", "x\n" * 600_000 + GITHUB)

    await stage.round()

    assert stage.withheld == [WithheldPath("large", 600_001, "a GitHub token")]


async def test_notes_come_to_the_user_without_secrets(stage: Stage) -> None:
    stage.agent.write(".treadle-notes.md", f"use {KNOWN} and {PASSWORD}\n")

    await stage.round()

    notes = (stage.user.path / ".treadle-notes.md").read_text()
    assert notes == f"use *** and {PASSWORD}\n"


async def test_a_link_is_not_followed(stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text(GITHUB)
    (stage.agent.path / "link").symlink_to(tmp_path / "elsewhere")

    home = await stage.round()

    assert (home, stage.withheld) == (ImportedTip(stage.agent.head), [])


async def test_without_anything_to_find_no_commit_is_touched(stage: Stage) -> None:
    stage.agent.commit("Work", one="1\n")
    head = stage.agent.head

    assert await stage.round() == ImportedTip(head)
