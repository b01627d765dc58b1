"""An agent's work is imported at any depth and with any permissions."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from treadle.workspace.agent_tree import repair_clone
from treadle.workspace.commits import commit_round
from treadle.workspace.disk import remove
from treadle.workspace.hostile_files import find_pipes, walk_folders

from .deep_trees import dig
from .real_git import repository_in, run_on

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def left_behind(tmp_path: Path) -> Iterator[None]:
    """Others could not remove what is made here."""
    yield
    remove(tmp_path)


async def test_work_beside_a_very_deep_directory_is_committed(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.write("new", "work")
    dig(run.clone.path)

    rest = await commit_round(run.clone, "Work")

    assert run.agent.tree(rest.tip)["new"] == "work"
    assert rest.remarks == ()


@pytest.mark.parametrize("part", ["", "refs/heads", "objects"])
async def test_a_git_directory_too_deep_for_git_is_moved_aside(part: str, tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.write("new", "work")
    dig(run.clone.git_dir / part)

    rest = await commit_round(run.clone, "Work")

    assert run.agent.tree(rest.tip)["new"] == "work"
    assert rest.remarks == (
        "The workspace got a fresh git directory, because its .git is deeper than git can follow.",
    )


@pytest.mark.parametrize("part", ["hooks", "commondir", "info/exclude"])
async def test_a_deep_directory_in_place_of_our_own_parts_does_not_last(
    part: str, tmp_path: Path
) -> None:
    run = await run_on(repository_in(tmp_path))
    remove(run.clone.git_dir / part)
    (run.clone.git_dir / part).mkdir()
    dig(run.clone.git_dir / part, depth=1500)

    await repair_clone(run.clone)

    assert not (run.clone.git_dir / part / "d").exists()


def test_pipes_are_found_as_deep_as_git_looks(tmp_path: Path) -> None:
    dig(tmp_path)
    pipe = tmp_path / "/".join("d" * 1500) / ".gitignore"
    os.mkfifo(pipe)

    assert list(find_pipes(tmp_path)) == [pipe]


@pytest.mark.parametrize(
    "parts",
    [
        ["."],
        [".git"],
        [".git/objects"],
        [".git/refs", ".git/refs/heads"],
        [".git/HEAD", ".git/index", ".git/objects/info", ".git/refs", ".git"],
    ],
)
async def test_rights_that_git_needs_are_given_back(parts: list[str], tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.commit(one="1")
    places = [run.clone.path / part for part in parts]
    wanted = [0o700 if place.is_dir() else 0o400 for place in places]
    for place in places:
        place.chmod(0)

    await repair_clone(run.clone)

    found = [stat.S_IMODE(place.stat().st_mode) for place in places]
    assert found == wanted


async def test_no_rights_are_given_to_what_a_link_leads_to(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    (tmp_path / "theirs").mkdir(mode=0o500)
    (run.clone.git_dir / "refs/out").symlink_to(tmp_path / "theirs")

    await repair_clone(run.clone)

    assert stat.S_IMODE((tmp_path / "theirs").stat().st_mode) == 0o500


def test_a_directory_is_removed_with_all_that_is_in_it_and_nothing_else(tmp_path: Path) -> None:
    theirs, top = tmp_path / "theirs", tmp_path / "top"
    (theirs / "kept").mkdir(parents=True)
    for folder in ("a/b/c", "a/b/e", "x/b", "empty"):
        (top / folder).mkdir(parents=True)
        (top / folder / "link").symlink_to(theirs)
        (top / folder / "file").touch()
    os.mkfifo(top / "a/pipe")
    for folder in ("a/b/c", "a/b", "empty", ""):
        (top / folder).chmod(0)

    remove(top)

    assert [path.name for path in tmp_path.iterdir()] == ["theirs"]
    assert [path.name for path in theirs.iterdir()] == ["kept"]


def test_a_directory_with_very_many_entries_is_walked_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treadle.workspace.hostile_files.MOST_ENTRIES", 3)
    names = {f"f{number}" for number in range(7)} | {"inner"}
    for name in names:
        (tmp_path / name).mkdir() if name == "inner" else (tmp_path / name).touch()
    os.mkfifo(tmp_path / "inner/.gitignore")

    walked = list(walk_folders(str(tmp_path)))

    assert {entry.name for _, entries in walked for entry in entries} == names | {".gitignore"}
    assert max(len(entries) for _, entries in walked) == 3
    assert list(find_pipes(tmp_path)) == [tmp_path / "inner/.gitignore"]
