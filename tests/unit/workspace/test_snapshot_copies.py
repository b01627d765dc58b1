"""A commit's files are checked out separately, once, from the user's objects."""

from pathlib import Path

from treadle.workspace.project import find_project
from treadle.workspace.snapshot import copy_commit, take_snapshot

from .real_git import RUN, files_of, repository_in


async def test_all_that_the_user_saw_is_copied_once_and_nothing_of_theirs_changes(
    tmp_path: Path,
) -> None:
    user = repository_in(tmp_path)
    user.write("tools/guard.py", "guard\n").chmod(0o755)
    project = await find_project(user.path, user.environment)
    snapshot = await take_snapshot(project, RUN)
    seen, state = files_of(user.path), user.state()
    copy = tmp_path / "run" / "copy"
    (tmp_path / "run" / "copy.building").mkdir(parents=True)
    (tmp_path / "run" / "copy.building" / "half").write_text("cut")

    await copy_commit(project, snapshot.commit, copy)

    assert files_of(copy) == seen
    assert user.state() == state
    user.write("tools/guard.py", "another\n")
    await copy_commit(project, user.commit("Later"), copy)
    assert files_of(copy) == seen
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["copy"]
