"""Ends a round in a process with little memory, after the agent left a huge file. Run by a test."""

import asyncio
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path

from tests.unit.workspace.real_git import Run, repository_in, run_on
from treadle.workspace.commits import commit_round
from treadle.workspace.notes import copy_notes_out
from treadle.workspace.output_files import read_written_files
from treadle.workspace.setup_key import setup_key

HUGE = 3 << 30
MANIFEST = 700 << 20
# Above what this process has at the start.
ALLOWED = 500 << 20
REPORTS = ("reports/*.xml",)


def huge(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    with path.open("wb") as file:
        file.truncate(HUGE)


def huge_line(path: Path) -> None:
    """Text without an end of line."""
    with path.open("wb") as file:
        file.truncate(HUGE)
        os.pwrite(file.fileno(), b"ref: refs/heads/x", 0)


def large_manifest(run: Run) -> None:
    """In a commit that was imported; zeros take little space there."""
    with (run.user.path / "package.json").open("wb") as file:
        file.truncate(MANIFEST)
    for words in (("add", "package.json"), ("commit", "-q", "-m", "A manifest")):
        run.user.git("-c", "core.bigFileThreshold=1m", *words)


HARM: dict[str, Callable[[Run], None]] = {
    "head": lambda run: huge(run.clone.git_dir / "HEAD"),
    "head with a ref": lambda run: huge_line(run.clone.git_dir / "HEAD"),
    "index": lambda run: huge(run.clone.git_dir / "index"),
    "manifest": large_manifest,
    "notes": lambda run: huge(run.clone.path / ".treadle-notes.md"),
    "reports": lambda run: huge(run.clone.path / "reports/junit.xml"),
}


async def end_round(name: str, directory: Path) -> None:
    run = await run_on(repository_in(directory))
    (run.clone.path / "work.txt").write_text("work\n")
    HARM[name](run)
    _limit_memory()
    # Before the commit, which takes whatever lies in the project: that is bounded elsewhere.
    read_written_files(run.clone.path, REPORTS, before={})
    copy_notes_out(run.clone)
    (run.clone.path / "reports/junit.xml").unlink(missing_ok=True)
    await commit_round(run.clone, "Finish the round")
    await setup_key(run.project, run.user.head, "npm ci")
    sys.stdout.write(run.user.path.name)


def _limit_memory() -> None:
    used = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    limit = used + ALLOWED
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


if __name__ == "__main__":
    asyncio.run(end_round(sys.argv[1], Path(sys.argv[2])))
