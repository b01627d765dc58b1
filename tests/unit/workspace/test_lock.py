"""One run per project at a time; the lock ends with its process."""

import fcntl
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from treadle.domain.ids import RunId
from treadle.workspace.lock import ProjectBusy, ProjectLock, find_holder, lock_project

from .real_git import RUN

OTHER = RunId("other")


def test_a_second_run_gets_the_id_of_the_first(tmp_path: Path) -> None:
    first = lock_project(tmp_path, "key", RUN)
    assert isinstance(first, ProjectLock)

    second = lock_project(tmp_path, "key", OTHER)

    assert second == ProjectBusy(RUN)
    assert second.as_error().message == f"another run is working on this project: {RUN}"
    assert second.as_error().hint == f"follow it with `treadle logs -f {RUN}`"
    first.release()


def test_another_project_is_free(tmp_path: Path) -> None:
    with _taken(tmp_path, "one", RUN), _taken(tmp_path, "two", OTHER):
        assert (find_holder(tmp_path, "one"), find_holder(tmp_path, "two")) == (
            ProjectBusy(RUN),
            ProjectBusy(OTHER),
        )


def test_a_released_project_can_be_taken_again(tmp_path: Path) -> None:
    with _taken(tmp_path, "key", RUN):
        pass
    assert find_holder(tmp_path, "key") is None

    with _taken(tmp_path, "key", OTHER):
        assert find_holder(tmp_path, "key") == ProjectBusy(OTHER)


def test_a_project_that_was_never_taken_has_no_holder(tmp_path: Path) -> None:
    assert find_holder(tmp_path, "key") is None
    assert not (tmp_path / "locks").exists()


def test_a_holder_that_has_not_written_its_id_yet_is_busy_all_the_same(tmp_path: Path) -> None:
    with _taken(tmp_path, "key", RunId("")):
        busy = lock_project(tmp_path, "key", RUN)

    assert busy == ProjectBusy(None)
    assert busy.as_error().message == "another run is starting on this project"


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from treadle.workspace.lock import lock_project;"
        f"lock = lock_project(Path({str(tmp_path)!r}), 'key', 'dead');"
        "print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        assert find_holder(tmp_path, "key") == ProjectBusy(RunId("dead"))
        process.kill()

    assert find_holder(tmp_path, "key") is None
    _taken(tmp_path, "key", RUN).release()


def _taken(root: Path, key: str, run: RunId) -> ProjectLock:
    lock = lock_project(root, key, run)
    assert isinstance(lock, ProjectLock)
    return lock


def _project(directory: Path) -> Path:
    (directory / "project" / ".git").mkdir(parents=True)
    return directory / "project"


def test_two_directories_of_treadle_share_a_project(tmp_path: Path) -> None:
    project, root, other = _project(tmp_path), tmp_path / "ada's", tmp_path / "other"
    first = lock_project(root, "key", RUN, project)
    assert isinstance(first, ProjectLock)

    second = lock_project(other, "key", OTHER, project)

    assert second == ProjectBusy(RUN, str(root))
    assert (second.as_error().message, second.as_error().hint) == (
        f"another run is working on this project: {RUN}, of {root}",
        f"follow it with `TREADLE_ROOT={shlex.quote(str(root))} treadle logs -f {RUN}`",
    )
    # A refused run holds nothing.
    assert find_holder(other, "key") is None
    first.release()
    again = lock_project(other, "key", OTHER, project)
    assert isinstance(again, ProjectLock)
    again.release()


def test_a_project_under_another_path_is_the_same(tmp_path: Path) -> None:
    project = _project(tmp_path)
    (tmp_path / "link").symlink_to(project)
    # As in a container that has another path and another key for it.
    with_lock = lock_project(tmp_path / "one", "key", RUN, project)
    assert isinstance(with_lock, ProjectLock)

    with with_lock:
        second = lock_project(tmp_path / "two", "other key", OTHER, tmp_path / "link")

    assert second == ProjectBusy(RUN, str(tmp_path / "one"))


def test_a_linked_worktree_has_a_lock_of_its_own(tmp_path: Path) -> None:
    project, tree = _project(tmp_path), tmp_path / "tree"
    (project / ".git" / "worktrees" / "tree").mkdir(parents=True)
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {project}/.git/worktrees/tree\n")
    first = lock_project(tmp_path / "one", "a", RUN, project)
    second = lock_project(tmp_path / "two", "b", OTHER, tree)
    third = lock_project(tmp_path / "three", "c", RunId("third"), tree)

    assert isinstance(first, ProjectLock)
    assert isinstance(second, ProjectLock)
    assert third == ProjectBusy(OTHER, str(tmp_path / "two"))
    first.release()
    second.release()


def test_a_killed_process_of_another_directory_holds_nothing(tmp_path: Path) -> None:
    project = _project(tmp_path)
    script = (
        "import sys; from pathlib import Path; from treadle.workspace.lock import lock_project;"
        f"lock = lock_project(Path({str(tmp_path / 'one')!r}), 'key', 'dead',"
        f" Path({str(project)!r})); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        busy = lock_project(tmp_path / "two", "key", RUN, project)
        process.kill()

    assert busy == ProjectBusy(RunId("dead"), str(tmp_path / "one"))
    taken = lock_project(tmp_path / "two", "key", RUN, project)
    assert isinstance(taken, ProjectLock)
    taken.release()


@pytest.mark.parametrize("text", ["", "{}", "[]", "not json", '{"run": 1}'])
def test_an_owner_that_cannot_be_read_is_busy_all_the_same(tmp_path: Path, text: str) -> None:
    project = _project(tmp_path)
    with (project / ".git" / "treadle.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(text)
        file.flush()

        assert lock_project(tmp_path / "two", "key", RUN, project) == ProjectBusy(None)
