"""Locks of runs and workers: nobody waits for one, and an abandoned one can be taken."""

from pathlib import Path

import pytest

from tests.builders import RUN
from treadle.domain.errors import ProjectInUse, StoreError
from treadle.runs.locks import lock_orphan, lock_run, lock_worker, worker_is_alive


def test_a_run_that_somebody_is_busy_with_is_refused_at_once(tmp_path: Path) -> None:
    with (
        lock_orphan(tmp_path, RUN),
        pytest.raises(ProjectInUse, match="another process is busy with run 9abcdef0"),
        lock_run(tmp_path, "key", RUN),
    ):
        pass
    with lock_run(tmp_path, "key", RUN), lock_orphan(tmp_path, RUN) as orphan:
        assert not orphan


def test_a_worker_takes_the_place_that_another_has_left(tmp_path: Path) -> None:
    with lock_worker(tmp_path, "login") as take_second:
        with lock_worker(tmp_path, "login") as take_first:
            taken = [take_first(), take_second(), take_first()]
        left = worker_is_alive(tmp_path, "login")
        taken.append(take_second())
        assert (taken, left) == ([True, False, True, True], False)
        assert worker_is_alive(tmp_path, "login")
    assert not worker_is_alive(tmp_path, "login")


def test_a_lock_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "runs").touch()

    with pytest.raises(StoreError, match="cannot write under"), lock_orphan(tmp_path, RUN):
        pass
