"""Which files differ between two commits, by their content alone."""

from pathlib import Path

import pytest

from tests.unit.workspace.real_git import Repository, repository_in
from treadle.domain.check import FileChange
from treadle.workspace.diffs import changed_files
from treadle.workspace.git import GitFailed, user_git


@pytest.fixture
def user(tmp_path: Path) -> Repository:
    return repository_in(tmp_path)


async def changes(user: Repository, before: str, after: str = "HEAD") -> tuple[FileChange, ...]:
    return await changed_files(user_git(user.path, user.environment), before, after)


async def test_files_are_added_changed_and_removed(user: Repository) -> None:
    before = user.commit(gone="1", kept="1", changed="1")
    (user.path / "gone").unlink()
    user.commit(changed="2", **{"deep/new": "1"})

    assert await changes(user, before) == (
        FileChange("changed", "changed"),
        FileChange("deep/new", "added"),
        FileChange("gone", "removed"),
    )
    assert await changes(user, "HEAD") == ()


async def test_a_file_that_was_moved_is_gone_from_where_it_was(user: Repository) -> None:
    user.git("config", "diff.renames", "copies")
    before = user.commit(**{"test_old.py": "the same text\n" * 9})
    user.git("mv", "test_old.py", "old.txt")
    user.commit()

    assert await changes(user, before) == (
        FileChange("old.txt", "added"),
        FileChange("test_old.py", "removed"),
    )


async def test_unusual_names_links_and_modes_are_listed(user: Repository) -> None:
    before = user.commit(run="1", plain="1")
    (user.path / "run").chmod(0o755)
    (user.path / "plain").unlink()
    (user.path / "plain").symlink_to("run")
    user.commit(**{"a\tb\nc ü": "1"})

    assert await changes(user, before) == (
        FileChange("a\tb\nc ü", "added"),
        FileChange("plain", "changed"),
        FileChange("run", "changed"),
    )


async def test_nothing_that_the_project_names_for_its_diffs_is_started(
    user: Repository, tmp_path: Path
) -> None:
    trap = tmp_path / "trapped"
    user.git("config", "diff.external", f"touch {trap}")
    user.git("config", "diff.odd.textconv", f"touch {trap} #")
    before = user.commit(**{".gitattributes": "* diff=odd\n", "a": "1"})
    user.commit(a="2")

    assert await changes(user, before) == (FileChange("a", "changed"),)
    assert not trap.exists()


async def test_a_commit_that_is_not_there_is_an_error(user: Repository) -> None:
    with pytest.raises(GitFailed):
        await changes(user, "0" * 40)
