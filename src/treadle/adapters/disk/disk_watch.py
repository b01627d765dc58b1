"""Looks at the disks while a session or a command runs, until one of them is nearly full."""

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from time import monotonic

from treadle.adapters.disk.disk_limits import (
    LOOK_S,
    DiskSpace,
    low_space,
    pause_after_measuring,
    read_total,
    too_large,
)
from treadle.domain.sandbox import DiskLimits

SYSTEM_FOLDERS = "/usr/bin:/bin"
# A folder that takes longer is not measured; the floor of free space still holds.
LONGEST_MEASURE_S = 300.0


@dataclass(frozen=True, slots=True)
class DiskWatch:
    """Watches the folders of what runs, and `root`, where Treadle keeps the run."""

    limits: DiskLimits
    root: Path
    # A command that ends sooner is not worth a measurement.
    first_measure_s: float = 0.0
    look_s: float = LOOK_S

    def low_now(self, folders: Sequence[Path]) -> str:
        """Which disk is nearly full, for a person; empty: none is."""
        return low_space(_look_at((*folders, self.root)), self.limits)

    async def wait(self, folders: Sequence[Path]) -> str:
        """Wait until a disk is nearly full, or the folders take more than they may; which."""
        measured_at, pause_s = monotonic(), self.first_measure_s
        while True:
            if problem := self.low_now(folders):
                return problem
            if self.limits.disk_mb and monotonic() >= measured_at + pause_s:
                started = monotonic()
                taken = await _measure(folders)
                measured_at = monotonic()
                pause_s = pause_after_measuring(measured_at - started)
                if problem := too_large(taken or 0, folders, self.limits):
                    return problem
            await asyncio.sleep(self.look_s)


def _look_at(paths: Sequence[Path]) -> list[DiskSpace]:
    """The disks of the paths that exist, each once."""
    disks: dict[int, DiskSpace] = {}
    for path in paths:
        with suppress(OSError):
            device, found = path.stat().st_dev, os.statvfs(path)
            size, free = found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize
            disk = DiskSpace(path, size, free, found.f_files, found.f_favail)
            disks.setdefault(device, disk)
    return list(disks.values())


async def _measure(folders: Sequence[Path]) -> int | None:
    """Kilobytes that the folders take on disk; None if that cannot be said.

    By `du`, in a process of its own and of low priority: it counts a file with several names once,
    goes to any depth, and needs little memory, whatever an agent made there.
    """
    du, nice = (which(name, path=SYSTEM_FOLDERS) for name in ("du", "nice"))
    present = [str(folder) for folder in folders if folder.is_dir()]
    if du is None or nice is None or not present:
        return None
    process = await asyncio.create_subprocess_exec(
        *(nice, "-n", "19", du, "-skxc", "--", *present),
        cwd="/",
        env={"PATH": SYSTEM_FOLDERS, "LC_ALL": "C"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        # It names each folder that it may not read.
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(LONGEST_MEASURE_S):
            output, _ = await process.communicate()
    except TimeoutError:
        return None
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    return read_total(output.decode(errors="replace"))
