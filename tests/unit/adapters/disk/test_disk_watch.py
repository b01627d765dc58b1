"""Real disks and folders, watched until one is nearly full or too large."""

import asyncio
import os
from pathlib import Path

import pytest

from treadle.adapters.disk.disk_watch import DiskWatch
from treadle.domain.sandbox import DiskLimits

ANY_FREE = 0


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("work", "home"):
        (tmp_path / name).mkdir()
    return tmp_path / "work", tmp_path / "home"


def one_large_file(folder: Path) -> None:
    (folder / "large").write_bytes(os.urandom(3 << 20))


def many_files(folder: Path) -> None:
    for at in range(800):
        (folder / f"f{at}").write_text("x")


def deep_folders(folder: Path) -> None:
    """Deeper than a path may be long."""
    at = os.open(folder, os.O_RDONLY)
    for _ in range(100):
        os.mkdir("d" * 200, dir_fd=at)
        at, above = os.open("d" * 200, os.O_RDONLY, dir_fd=at), at
        os.close(above)
    with os.fdopen(os.open("large", os.O_WRONLY | os.O_CREAT, dir_fd=at), "wb") as file:
        file.write(os.urandom(3 << 20))
    os.close(at)


def odd_names(folder: Path) -> None:
    (folder / "-a\n999999\ttotal").write_bytes(os.urandom(3 << 20))


@pytest.mark.parametrize("fill", [one_large_file, many_files, deep_folders, odd_names])
@pytest.mark.parametrize("where", [0, 1])
async def test_folders_that_take_too_much_are_found(
    fill: object, where: int, folders: tuple[Path, Path], tmp_path: Path
) -> None:
    assert callable(fill)
    fill(folders[where])
    watch = DiskWatch(DiskLimits(ANY_FREE, disk_mb=2), tmp_path)

    told = await watch.wait(folders)

    assert told.startswith(f"{folders[0]} and {folders[1]} take 3 MB, and sandbox.disk_mb allows 2")


async def test_a_folder_that_grows_is_found_while_it_is_watched(
    folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treadle.adapters.disk.disk_watch.pause_after_measuring", lambda took: 0.0)
    watch = DiskWatch(DiskLimits(ANY_FREE, disk_mb=2), tmp_path, look_s=0.01)
    waiting = asyncio.ensure_future(watch.wait(folders))
    await asyncio.wait({waiting}, timeout=0.05)
    assert not waiting.done()

    one_large_file(folders[0])

    assert "take 3 MB" in await waiting


async def test_a_file_with_two_names_and_a_sparse_one_count_as_what_they_take(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    one_large_file(folders[0])
    (folders[1] / "other").hardlink_to(folders[0] / "large")
    with (folders[1] / "sparse").open("wb") as file:
        file.truncate(1 << 30)
    watch = DiskWatch(DiskLimits(ANY_FREE, disk_mb=5), tmp_path)

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(watch.wait(folders), timeout=1)


async def test_a_disk_that_is_nearly_full_is_found_at_once(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    # More than 5 % of any disk are never free: the share of a disk that is full of them is.
    watch = DiskWatch(DiskLimits(free_mb=1 << 40), tmp_path)
    status = os.statvfs(tmp_path)
    is_full = status.f_bavail < 0.05 * status.f_blocks

    assert bool(watch.low_now(folders)) == is_full
