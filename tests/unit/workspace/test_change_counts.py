"""What a run's work changes, adds and deletes is counted in files and lines."""

from pathlib import Path

from tests.unit.workspace.real_git import Repository, repository_in
from treadle.domain.events.work import WorkChanged
from treadle.workspace.change_counts import MAX_NAMES, MIN_LINES, count_changes
from treadle.workspace.git import Git


def numbered(lines: int) -> str:
    return "".join(f"line {n}\n" for n in range(lines))


async def counted(repository: Repository, before: str, after: str) -> WorkChanged:
    return await count_changes(Git(repository.path, repository.environment), before, after)


async def test_files_are_counted_by_what_happened_to_them(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    names = ("gone.py", "emptied.py", "old/moved.py", "edited.py", "same.py")
    before = user.commit(**{name: f"{name}\n{numbered(9)}" for name in names})
    known = len(user.git("ls-files").splitlines())
    (user.path / "gone.py").unlink()
    user.write("emptied.py", "")
    (user.path / "old/moved.py").rename(user.path / "moved.py")
    user.write("edited.py", numbered(8))
    after = user.commit(**{"new one.py": numbered(3)})

    assert await counted(user, before, after) == WorkChanged(
        commit=after,
        files_before=known,
        added=1,
        changed=2,
        deleted=2,
        deleted_files=("emptied.py", "gone.py"),
        lines_added=3,
        lines_deleted=22,
    )


async def test_many_deleted_files_are_counted_and_the_first_are_named(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    names = [f"part_{n:02}.py" for n in range(62)]
    before = user.commit(**{name: f"{name}\n{numbered(9)}" for name in names})
    known = len(user.git("ls-files").splitlines())
    for name in names:
        (user.path / name).unlink()
    after = user.commit()

    changes = await counted(user, before, after)

    assert (changes.files_before, changes.deleted) == (known, 62)
    assert changes.deleted_files == tuple(names[:MAX_NAMES])
    assert (changes.lines_added, changes.lines_deleted) == (0, 620)


async def test_the_lines_of_the_project_are_counted_only_if_many_are_gone(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    empty = user.git("hash-object", "-t", "tree", "/dev/null")
    before = user.commit(**{"long.txt": numbered(2 * MIN_LINES)})
    insertions = user.git("diff", "--shortstat", empty, before)
    few = user.commit(**{"long.txt": numbered(MIN_LINES + 1)})
    many = user.commit(**{"long.txt": numbered(MIN_LINES)})

    assert (await counted(user, before, few)).lines_before is None
    counts = await counted(user, before, many)
    assert f" {counts.lines_before} insertions(+)" in insertions
    assert (counts.lines_added, counts.lines_deleted) == (0, MIN_LINES)


async def test_work_that_changes_nothing_has_no_counts(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    known = len(user.git("ls-files").splitlines())

    assert await counted(user, user.head, user.head) == WorkChanged(user.head, known)
