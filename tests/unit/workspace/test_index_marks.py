"""Flags that make git skip a file are cleared in an index; all else in it stays."""

from pathlib import Path

import pytest

from treadle.workspace.index_marks import clear_marks

from .real_git import Repository, empty_repository
from .workspace_harness import make_harness


@pytest.fixture(params=[(v, f) for v in ("2", "3", "4") for f in ("sha1", "sha256")])
def marked(request: pytest.FixtureRequest, tmp_path: Path) -> Repository:
    version, form = request.param
    repository = empty_repository(tmp_path, object_format=form)
    for number in range(20):
        repository.write("folder/" + "long" * number + str(number), str(number))
    repository.git("add", "--all")
    repository.git("update-index", f"--index-version={version}")
    return repository


def listed(repository: Repository) -> str:
    return repository.git("ls-files", "--stage", "-v", "-z", "--debug")


def test_every_mark_goes_and_nothing_else(marked: Repository) -> None:
    index, hash_bytes = marked.path / ".git/index", len(marked.git("write-tree")) // 2
    plain, before = index.read_bytes(), listed(marked)
    assert clear_marks(plain, hash_bytes=hash_bytes) == plain
    names = marked.git("ls-files", "-z").split("\0")[:-1]
    marked.git("update-index", "--assume-unchanged", *names[0:6])
    marked.git("update-index", "--skip-worktree", *names[3:12])
    assert listed(marked) != before

    index.write_bytes(clear_marks(index.read_bytes(), hash_bytes=hash_bytes))

    assert [line[0] for line in marked.git("ls-files", "-v").splitlines()] == ["H"] * 20
    assert marked.git("fsck", "--no-dangling") == ""
    marked.write(names[4], "changed")
    assert marked.git("diff-files", "--name-only") == names[4]


@pytest.mark.parametrize("index", [b"", b"DIRC", b"DIRC\0\0\0\2\0\0\0\7" + b"x" * 90, b"\xff" * 99])
def test_what_is_no_index_is_left_as_it_is(index: bytes) -> None:
    assert clear_marks(index, hash_bytes=20) == index


async def test_an_agent_cannot_keep_its_changes_out_of_the_commit(tmp_path: Path) -> None:
    user = empty_repository(tmp_path)
    user.commit("First", **{"kept.txt": "kept", "one": "1", "two": "2"})
    harness = await make_harness(tmp_path, user)
    harness.agent.git("update-index", "--assume-unchanged", "one")
    harness.agent.git("update-index", "--skip-worktree", "two")
    harness.agent.write("one", "changed")
    harness.agent.write("two", "changed")

    await harness.round()

    assert harness.imported_files() == {"kept.txt": "kept", "one": "changed", "two": "changed"}
