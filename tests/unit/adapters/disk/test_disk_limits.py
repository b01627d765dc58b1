"""When a disk is too full for what runs, and when that takes too much."""

from pathlib import Path

import pytest

from treadle.adapters.disk.disk_limits import (
    MEGABYTE,
    DiskSpace,
    low_space,
    pause_after_measuring,
    read_total,
    too_large,
)
from treadle.domain.sandbox import DiskLimits

LIMITS = DiskLimits(free_mb=500, disk_mb=1000)
LARGE = 100_000 * MEGABYTE
WORK, HOME = Path("/run/work"), Path("/run/home")


def disk(*, free: int = LARGE, size: int = LARGE, files: int = 0, free_files: int = 0) -> DiskSpace:
    return DiskSpace(WORK, size, free, files, free_files)


@pytest.mark.parametrize(
    ("space", "told"),
    [
        pytest.param(disk(), "", id="enough"),
        pytest.param(disk(free=500 * MEGABYTE), "", id="just enough"),
        pytest.param(
            disk(free=499 * MEGABYTE),
            "only 499 MB are free on the disk of /run/work, and 500 MB must stay free (free some"
            " space, then `treadle resume`; see sandbox.free_mb)",
            id="too little",
        ),
        pytest.param(
            disk(size=64 * MEGABYTE, free=4 * MEGABYTE), "", id="a small disk keeps a share"
        ),
        pytest.param(
            disk(size=64 * MEGABYTE, free=1024),
            "only 1 KB are free on the disk of /run/work, and 3 MB must stay free (free some"
            " space, then `treadle resume`; see sandbox.free_mb)",
            id="and no less",
        ),
        pytest.param(
            disk(files=10_000_000, free_files=9_999),
            "only 9999 files can still be created on the disk of /run/work, and 10000 must stay"
            " possible (remove some files, then `treadle resume`)",
            id="too few files",
        ),
        pytest.param(disk(files=10_000_000, free_files=10_000), "", id="just enough files"),
        pytest.param(disk(files=0, free_files=0), "", id="a disk that does not count files"),
    ],
)
def test_a_disk_keeps_room(space: DiskSpace, told: str) -> None:
    assert low_space([disk(), space], LIMITS) == told


def test_zero_keeps_nothing_free() -> None:
    full = disk(free=0, files=100_000, free_files=0)

    assert low_space([full], DiskLimits(free_mb=0)) == ""


@pytest.mark.parametrize(
    ("taken_mb", "limit_mb", "told"),
    [
        (1000, 1000, ""),
        (5000, 0, ""),
        (
            1001,
            1000,
            "/run/work and /run/home take 1001 MB, and sandbox.disk_mb allows 1000 MB (remove"
            " what is not needed, or raise the setting, then `treadle resume`)",
        ),
    ],
)
def test_a_workspace_and_its_home_have_a_ceiling(taken_mb: int, limit_mb: int, told: str) -> None:
    limits = DiskLimits(disk_mb=limit_mb)

    assert too_large(taken_mb * 1024, (WORK, HOME), limits) == told


def test_measuring_takes_a_small_share_of_the_time() -> None:
    assert [pause_after_measuring(took_s) for took_s in (0.0, 0.5, 10.0)] == [30.0, 30.0, 500.0]


@pytest.mark.parametrize(
    ("output", "total"),
    [("4\t/a\n12\t/b\n16\ttotal\n", 16), ("", None), ("\n", None), ("du: error\n", None)],
)
def test_the_total_is_the_last_line(output: str, total: int | None) -> None:
    assert read_total(output) == total
