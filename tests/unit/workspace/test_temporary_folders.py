"""Temporary folders are removed after use, and after their process was killed."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from treadle.workspace import temporary_folders

KILLED = """
import os, signal
from treadle.workspace.temporary_folders import scratch_folder
with scratch_folder() as path:
    (path / "index").write_text("x")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_scratch_folder_is_its_owners_and_goes_after_use(place: Path) -> None:
    with temporary_folders.scratch_folder() as path:
        (path / "index").write_text("x")
        assert (path.parent, path.stat().st_mode & 0o777) == (place, 0o700)

    assert list(place.iterdir()) == []


def test_what_a_killed_process_left_is_swept_and_what_is_in_use_is_not(place: Path) -> None:
    environment = {"TMPDIR": str(place), "PATH": "/usr/bin:/bin"}
    subprocess.run([sys.executable, "-c", KILLED], env=environment, check=False)
    assert len(list(place.iterdir())) == 1
    (place / "treadle-index-file").touch()
    (place / "treadle-index-link").symlink_to(place)

    with temporary_folders.scratch_folder() as path:
        temporary_folders.remove_abandoned_scratch(place)
        left = {found.name for found in place.iterdir()}

    assert left == {path.name, "treadle-index-file", "treadle-index-link"}
