"""The engine on a disk that is full or cannot be written: one clear line, and it works again."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.missing import missing

ON_A_SMALL_DISK = """
import asyncio, sys
from pathlib import Path
from subprocess import run
from treadle.domain.errors import StoreError
from treadle.durable.open import open_engine

disk = Path(sys.argv[1])
ballast = disk / "ballast"

async def run_big(steps, argument):
    async def small():
        print("small")
        return "x"
    async def big():
        print("big")
        return "x" * 400_000
    await steps.step("small", small, returns=str)
    await steps.step("big", big, returns=str)
    return "told"

def opened():
    return open_engine(
        f"sqlite:///{disk}/engine.db", executor="run-1", queue="run.1",
        workflows={"big": run_big}, poll_s=0.05,
    )

async def refused(engine):
    try:
        await engine.run("w", "big", None)
    except StoreError as error:
        print(error.message.replace(str(disk), "DISK"), "|", error.hint)

async def main():
    async with opened() as engine:
        with ballast.open("wb", buffering=0) as file:
            free = __import__("os").statvfs(disk)
            file.write(bytes(free.f_bavail * free.f_bsize - 300_000))
        await refused(engine)
        ballast.unlink()
        print(await engine.run("w", "big", None))
    run(["mount", "-o", "remount,ro", str(disk)], check=True)
    try:
        async with opened() as engine:
            print("not reached")
    except StoreError as error:
        print(error.message.replace(str(disk), "DISK"), "|", error.hint)

asyncio.run(main())
"""


def test_a_full_disk_and_a_read_only_one_are_told_apart_and_nothing_stored_is_lost(
    tmp_path: Path,
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = 'mount -t tmpfs -o size=4m none "$0" && exec "$@"'
    alone = ["unshare", "--map-root-user", "--mount", "sh", "-c", mounted, str(disk)]
    if not shutil.which("unshare") or subprocess.run([*alone, "true"], check=False).returncode:
        missing("this machine does not let a test mount a small disk of its own")

    played = subprocess.run(
        [*alone, sys.executable, "-c", ON_A_SMALL_DISK, str(disk)],
        check=False,
        capture_output=True,
        text=True,
    )

    assert (played.stdout.splitlines(), played.stderr) == (
        [
            "small",
            "big",
            "no space left to write DISK/engine.db"
            " | free some space; nothing that was stored is lost",
            "big",
            "told",
            "cannot write DISK/engine.db: Read-only file system"
            " | make the directory writable, or set TREADLE_ROOT to one that is",
        ],
        "",
    )
