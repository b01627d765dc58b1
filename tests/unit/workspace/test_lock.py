"""One run per project at a time; the lock ends with its process."""

import subprocess
import sys
from pathlib import Path

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
