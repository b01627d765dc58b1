"""A credential in an agent's work is not imported; everything else is."""

import asyncio
import subprocess
from pathlib import Path

import pytest

from tests.unit.policy.secret_samples import GITHUB, PASSWORD, PEM
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import (
    INCLUDED_FILE,
    SECRET_FILE,
    WithheldPath,
    WorkspacePrepared,
)
from treadle.workflows.loop.open_workspace import reopen_workspace
from treadle.workflows.loop.workspace_spec import ImportedTip
from treadle.workspace.secret_scan import JOINED_REMARK, MOST_COMMITS

from .real_git import repository_in
from .workspace_harness import KNOWN, WorkspaceHarness, make_harness


@pytest.fixture
async def harness(tmp_path: Path) -> WorkspaceHarness:
    return await make_harness(tmp_path, repository_in(tmp_path))


async def test_a_file_with_a_credential_stays_in_the_workspace_and_the_rest_is_imported(
    harness: WorkspaceHarness,
) -> None:
    harness.agent.write("app.py", "import os\n")
    harness.agent.write("settings.py", f"one = 1\ntwo = '{GITHUB}'\n")

    imported = await harness.round()

    assert harness.withheld == [WithheldPath("settings.py", 2, "a GitHub token")]
    assert imported.lost == "what looks like a credential must not be committed (settings.py)"
    assert sorted(harness.imported_files()) == ["app.py", "changed.txt", "kept.txt"]
    assert harness.agent.git("status", "--porcelain") == "?? settings.py"
    assert not harness.holds(GITHUB)


async def test_a_file_that_existed_before_is_imported_as_it_was(harness: WorkspaceHarness) -> None:
    harness.agent.write("changed.txt", f"before\nkey: {KNOWN}\n")

    imported = await harness.round()

    assert harness.withheld == [WithheldPath("changed.txt", 2, "a credential of yours")]
    assert imported.tip == harness.workspace.snapshot
    assert harness.user.refs("refs/heads/treadle") == {}
    assert harness.agent.git("status", "--porcelain") == " M changed.txt"
    assert KNOWN in (harness.agent.path / "changed.txt").read_text()


async def test_commits_of_the_agent_are_imported_as_one_without_it(
    harness: WorkspaceHarness,
) -> None:
    harness.agent.commit("Good", good="1\n")
    harness.agent.commit("Bad", bad=f"{PEM}\n")
    harness.agent.commit("Better", better="2\n")

    imported = await harness.round()

    assert harness.withheld == [WithheldPath("bad", 2, "a private key")]
    assert (imported.tip, imported.lost) == (
        harness.agent.head,
        "what looks like a credential must not be committed (bad)",
    )
    assert sorted(harness.imported_files()) == ["better", "changed.txt", "good", "kept.txt"]
    assert harness.agent.git("status", "--porcelain") == "?? bad"
    assert not harness.holds(PEM.splitlines()[1])


async def test_a_credential_that_was_taken_out_again_leaves_no_trace_in_history(
    harness: WorkspaceHarness,
) -> None:
    harness.agent.commit("Bad", settings=f"'{GITHUB}'\n")
    harness.agent.commit("Good", settings="os.environ\n")

    imported = await harness.round()

    assert imported == ImportedTip(harness.agent.head)
    assert harness.imported_files()["settings"] == "os.environ"
    assert harness.withheld == []
    assert [event.message for event in harness.events if isinstance(event, RunWarned)] == [
        "commits that held what looks like a credential were not imported as they are"
        " (settings, line 1: a GitHub token)"
    ]
    assert not harness.holds(GITHUB)


async def test_once_it_is_removed_everything_is_imported(harness: WorkspaceHarness) -> None:
    harness.agent.write("settings.py", f"'{GITHUB}'\n")
    await harness.round()
    assert harness.workspace.withheld == tuple(harness.withheld)

    harness.agent.write("settings.py", "os.environ\n")
    imported = await harness.round()

    assert imported == ImportedTip(harness.agent.head)
    assert harness.imported_files()["settings.py"] == "os.environ"
    assert harness.workspace.withheld == ()


async def test_one_that_is_left_for_rounds_is_left_out_each_time(harness: WorkspaceHarness) -> None:
    harness.agent.write("settings.py", f"'{GITHUB}'\n")
    await harness.round()
    harness.agent.write("app.py", "more\n")

    imported = await harness.round()

    assert harness.withheld == [WithheldPath("settings.py", 1, "a GitHub token")] * 2
    assert imported.lost != ""
    assert sorted(harness.imported_files()) == ["app.py", "changed.txt", "kept.txt"]


async def test_another_process_knows_what_was_left_out(harness: WorkspaceHarness) -> None:
    harness.agent.write("settings.py", f"'{GITHUB}'\n")
    await harness.round()
    [prepared] = [event for event in harness.events if isinstance(event, WorkspacePrepared)]

    again = await reopen_workspace(harness.spec, prepared, None)

    assert again.withheld == (WithheldPath("settings.py", 1, "a GitHub token"),)


async def test_what_the_repository_had_before_may_be_moved(
    harness: WorkspaceHarness, tmp_path: Path
) -> None:
    harness.agent.commit("Theirs", old=f"'{GITHUB}'\n")
    # As if the user had it all along.
    before = harness.agent.head
    harness.user.git("fetch", "--quiet", str(harness.agent.path), before)
    harness.workspace._imported_tip = before
    harness.agent.git("mv", "old", "new")

    imported = await harness.round()

    assert (imported, harness.withheld) == (ImportedTip(harness.agent.head), [])


async def test_a_message_a_name_and_binary_text_are_looked_through(
    harness: WorkspaceHarness,
) -> None:
    harness.agent.commit(f"The key is {GITHUB}", good="1\n")
    harness.agent.write(f"{GITHUB}.txt", "x")
    (harness.agent.path / "binary").write_bytes(b"\0\xff" + GITHUB.encode("utf-16-le"))
    harness.agent.write(".gitattributes", "* -diff binary\n")

    await harness.round()

    assert {(place.path, place.line) for place in harness.withheld} == {
        ("binary", 1),
        (f"{GITHUB}.txt", 0),
    }
    assert "good" in harness.imported_files()
    assert not harness.holds(GITHUB)
    assert not harness.holds(GITHUB.encode("utf-16-le").decode())


@pytest.mark.parametrize("name", ["a b", 'quo"te', "tab\there", "späte.txt", "-dash", "*", "dir/x"])
async def test_files_of_any_name_are_left_out(harness: WorkspaceHarness, name: str) -> None:
    harness.agent.write(name, f"'{GITHUB}'\n")
    harness.agent.write("good", "1\n")

    await harness.round()

    assert [place.path for place in harness.withheld] == [name]
    assert sorted(harness.imported_files()) == ["changed.txt", "good", "kept.txt"]


async def test_what_was_set_aside_stays_in_the_clone(harness: WorkspaceHarness) -> None:
    harness.agent.commit("Work", one="1\n")
    await harness.round()
    harness.agent.git("checkout", "--quiet", "HEAD~1")
    harness.agent.write("one", f"'{GITHUB}'\n")

    imported = await harness.round()

    assert imported.lost == "the round's work could not be merged into the run's branch"
    assert harness.user.refs("refs/treadle/aside") == {}
    [kept] = harness.agent.refs("refs/treadle/withheld").values()
    assert GITHUB in harness.agent.tree(kept)["one"]
    assert not harness.holds(GITHUB)


async def test_a_large_file_is_looked_through_as_well(harness: WorkspaceHarness) -> None:
    harness.agent.write("large", "x\n" * 600_000 + GITHUB)

    await harness.round()

    assert harness.withheld == [WithheldPath("large", 600_001, "a GitHub token")]


async def test_notes_come_to_the_user_without_secrets(harness: WorkspaceHarness) -> None:
    harness.agent.write(".treadle-notes.md", f"use {KNOWN} and {PASSWORD}\n")

    await harness.round()

    notes = (harness.user.path / ".treadle-notes.md").read_text()
    assert notes == f"use *** and {PASSWORD}\n"


async def test_a_link_is_not_followed(harness: WorkspaceHarness, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text(GITHUB)
    (harness.agent.path / "link").symlink_to(tmp_path / "elsewhere")

    imported = await harness.round()

    assert (imported, harness.withheld) == (ImportedTip(harness.agent.head), [])


async def test_without_anything_to_find_no_commit_is_touched(harness: WorkspaceHarness) -> None:
    harness.agent.commit("Work", one="1\n")
    head = harness.agent.head

    assert await harness.round() == ImportedTip(head)


async def test_a_new_file_that_is_named_like_secrets_is_withheld_once_and_for_all(
    harness: WorkspaceHarness,
) -> None:
    harness.agent.commit("Mine", **{".env": "DEBUG=1\n", "app.py": "1\n"})

    first = await harness.round()
    harness.workspace.begin_round()
    harness.agent.write("more.py", "2\n")
    second = await harness.round()

    assert harness.withheld == [WithheldPath(".env", 0, SECRET_FILE)] * 2
    assert (first.lost, second.lost) == ("files of secrets must not be committed (.env)", "")
    assert sorted(harness.imported_files()) == ["app.py", "changed.txt", "kept.txt", "more.py"]
    assert harness.agent.git("status", "--porcelain") == "?? .env"


async def test_a_tracked_file_of_that_name_may_be_changed(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.commit("Defaults", **{".env": "DEBUG=0\n"})
    harness = await make_harness(tmp_path, user)
    harness.agent.write(".env", "DEBUG=1\n")

    await harness.round()

    assert harness.withheld == []
    assert harness.imported_files()[".env"] == "DEBUG=1"


async def test_an_included_file_is_not_committed_even_by_force(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    harness = await make_harness(tmp_path, user, included=("config/[1].json",))
    harness.agent.write("config/[1].json", "{}\n")
    assert harness.agent.git("status", "--porcelain") == ""
    harness.agent.git("add", "--force", "config/[1].json")
    harness.agent.write("app.py", "1\n")

    imported = await harness.round()

    assert harness.withheld == [WithheldPath("config/[1].json", 0, INCLUDED_FILE)]
    assert imported.lost == "files of secrets must not be committed (config/[1].json)"
    assert sorted(harness.imported_files()) == ["app.py", "changed.txt", "kept.txt"]


async def test_more_commits_than_an_agent_makes_are_imported_as_one(
    harness: WorkspaceHarness,
) -> None:
    tip = harness.agent.head
    commit = "commit refs/heads/many\ncommitter X <x@example.com> 1600000000 +0000\ndata 1\na\n"
    first = f"{commit}from {tip}\nM 644 inline many.txt\ndata 2\n1\n\n"
    await asyncio.to_thread(
        subprocess.run,
        ["git", "fast-import", "--quiet"],
        input=(first + f"{commit}\n" * MOST_COMMITS).encode(),
        cwd=harness.agent.path,
        env=harness.agent.environment,
        check=True,
    )
    harness.agent.git("merge", "--ff-only", "many")

    imported = await harness.round()

    counted = harness.user.git("rev-list", "--count", f"{tip}..{imported.tip}")
    assert (counted, imported.tip) == ("1", harness.agent.head)
    assert harness.imported_files()["many.txt"] == "1"
    assert harness.agent.git("status", "--porcelain") == ""
    assert [event.message for event in harness.events if isinstance(event, RunWarned)] == [
        JOINED_REMARK
    ]
