"""Decides whether a disk has room for what runs, and whether that takes too much. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from treadle.domain.sandbox import DiskLimits

MEGABYTE = 1 << 20
# So many files can still be made on the disks of a run.
FREE_FILES = 10_000
# A small disk keeps this share free, and not what suits a large one.
LARGEST_SHARE = 0.05
LOOK_S = 5.0
# Measuring folders takes at most this share of the time, and happens at most this often.
MEASURING_SHARE = 0.02
MEASURE_S = 30.0


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """What a disk has, and what of it is free for us; a disk may not count its files."""

    path: Path
    size: int
    free: int
    files: int
    free_files: int


def low_space(disks: Sequence[DiskSpace], limits: DiskLimits) -> str:
    """What is used up on the first disk that is nearly full; empty: none is."""
    for disk in disks:
        wanted = min(limits.free_mb * MEGABYTE, int(disk.size * LARGEST_SHARE))
        if disk.free < wanted:
            return (
                f"only {_megabytes(disk.free)} are free on the disk of {disk.path}, and"
                f" {_megabytes(wanted)} must stay free (free some space, then `treadle resume`;"
                " see sandbox.free_mb)"
            )
        files = min(FREE_FILES, int(disk.files * LARGEST_SHARE)) if limits.free_mb else 0
        if disk.files and disk.free_files < files:
            return (
                f"only {disk.free_files} files can still be created on the disk of {disk.path}, and"
                f" {files} must stay possible (remove some files, then `treadle resume`)"
            )
    return ""


def too_large(taken_kb: int, folders: Sequence[Path], limits: DiskLimits) -> str:
    """Whether the folders take more than they may; empty: they do not."""
    if not limits.disk_mb or taken_kb <= limits.disk_mb * 1024:
        return ""
    named = " and ".join(map(str, folders))
    return (
        f"{named} take {taken_kb // 1024} MB, and sandbox.disk_mb allows {limits.disk_mb} MB"
        " (remove what is not needed, or raise the setting, then `treadle resume`)"
    )


def pause_after_measuring(took_s: float) -> float:
    """Seconds until the folders are measured again."""
    return max(MEASURE_S, took_s / MEASURING_SHARE)


def read_total(output: str) -> int | None:
    """The total of `du -c`, in kilobytes; None if it printed none."""
    lines = output.splitlines()
    number = lines[-1].split()[0] if lines and lines[-1].split() else ""
    return int(number) if number.isdecimal() else None


def _megabytes(size: int) -> str:
    return f"{size // MEGABYTE} MB" if size >= MEGABYTE else f"{size // 1024} KB"
