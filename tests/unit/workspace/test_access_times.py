"""What a command reads shows in the access times of the files."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.missing import missing
from treadle.workspace import access_times
from treadle.workspace.access_times import keeps_access_times, mark_unread, read_files

SHARED_MEMORY = Path("/dev/shm")


@pytest.fixture(params=["disk", "memory"])
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    if request.param == "memory" and not SHARED_MEMORY.is_dir():
        missing("/dev/shm")
    path = tmp_path if request.param == "disk" else SHARED_MEMORY / f"treadle-{os.getpid()}"
    path.mkdir(exist_ok=True)
    if not keeps_access_times(path):
        missing(f"access times in {path}")
    for name in ("a.txt", "b.txt", "folder/c.txt"):
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_text(f"{name}\n")
    (path / "link").symlink_to("a.txt")
    (path / "way").symlink_to("folder")
    yield path
    shutil.rmtree(path)


ALL = ("a.txt", "b.txt", "folder/c.txt", "link", "folder", "missing", "way/c.txt", "../a.txt")


def test_only_files_that_were_read_are_named(directory: Path) -> None:
    marks = mark_unread(directory, ALL)

    assert tuple(marks) == ("a.txt", "b.txt", "folder/c.txt")
    assert read_files(directory, marks) == ()
    (directory / "folder/c.txt").read_text()
    assert read_files(directory, marks) == ("folder/c.txt",)
    (directory / "link").read_text()
    assert read_files(directory, marks) == ("a.txt", "folder/c.txt")


@pytest.mark.parametrize(
    ("act", "counts"),
    [
        pytest.param(lambda file: file.stat(), False, id="looked at"),
        pytest.param(lambda file: list(file.parent.iterdir()), False, id="listed"),
        pytest.param(lambda file: file.write_text("new"), False, id="written"),
        pytest.param(lambda file: file.chmod(0o600), False, id="its mode set"),
        pytest.param(lambda file: file.unlink(), True, id="removed"),
        pytest.param(lambda file: (file.unlink(), file.write_text("b")), True, id="replaced"),
        pytest.param(lambda file: subprocess.run(["cp", file, f"{file}2"]), True, id="copied"),
        pytest.param(lambda file: subprocess.run(["sh", file]), True, id="run"),
    ],
)
def test_what_counts_as_read(directory: Path, act: Callable[[Path], object], counts: bool) -> None:
    marks = mark_unread(directory, ("b.txt",))

    act(directory / "b.txt")

    assert read_files(directory, marks) == (("b.txt",) if counts else ())


def test_the_time_of_modification_stays_and_a_second_look_starts_anew(directory: Path) -> None:
    modified = (directory / "a.txt").stat().st_mtime_ns
    first = mark_unread(directory, ("a.txt",))
    (directory / "a.txt").read_text()

    again = mark_unread(directory, ("a.txt",))

    assert (directory / "a.txt").stat().st_mtime_ns == modified
    assert (read_files(directory, again), again == first) == ((), True)


def test_no_probe_is_left(directory: Path) -> None:
    before = sorted(directory.rglob("*"))

    assert keeps_access_times(directory)

    assert sorted(directory.rglob("*")) == before


def test_a_file_system_that_keeps_no_access_times_is_known(tmp_path: Path) -> None:
    """In namespaces of its own, since mounting takes rights."""
    look = (
        f"mount -t tmpfs -o noatime none {tmp_path} && {sys.executable} -c"
        " 'import sys; from pathlib import Path;"
        " from treadle.workspace.access_times import keeps_access_times;"
        f' print(keeps_access_times(Path("{tmp_path}")))\''
    )
    environment = {"PATH": os.defpath, "PYTHONPATH": str(Path(access_times.__file__).parents[2])}
    result = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", look],
        env=environment,
        capture_output=True,
        check=False,
    )
    if b"mount" in result.stderr or b"unshare" in result.stderr:
        missing("rights to mount")

    assert (result.stdout, result.stderr) == (b"False\n", b"")
