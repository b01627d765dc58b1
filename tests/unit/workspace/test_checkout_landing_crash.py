"""Killed between any two git commands and replayed, a run loses nothing."""

import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.workspace.real_git import (
    Repository,
    deliver_on,
    empty_repository,
    files_of,
    repository_in,
)
from treadle.workspace.checkout_landing import LandedCommit

pytestmark = pytest.mark.slow

PAST_THE_END = 51

CHILD = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from workspace.real_git import Repository, deliver_on
environment = dict(PATH=sys.argv[3], HOME=sys.argv[4], GIT_CONFIG_NOSYSTEM="1")
asyncio.run(deliver_on(Repository(Path(sys.argv[2]), environment)))
"""


def killed_at(number: int, user: Repository) -> bool:
    """Deliver in a process that dies when it starts its `number`th git command."""
    shims = user.path.parent / "shims"
    shims.mkdir()
    count = shlex.quote(str(shims / "count"))
    git = shutil.which("git")
    assert git is not None
    shim = shims / "git"
    shim.write_text(
        # Some commands run side by side: each adds a line, and none takes one away.
        f"#!/bin/sh\necho >> {count}\n"
        f"[ $(wc -l < {count}) -lt {number} ] || {{ kill -9 $PPID; exit 1; }}\n"
        f'exec {shlex.quote(git)} "$@"\n'
    )
    shim.chmod(0o755)
    path = f"{shims}:{user.environment['PATH']}"
    tests = str(Path(__file__).parents[1])
    arguments = [tests, str(user.path), path, user.environment["HOME"]]
    ran = subprocess.run([sys.executable, "-c", CHILD, *arguments], check=False)
    assert ran.returncode in (0, -signal.SIGKILL)
    return ran.returncode != 0


def dirty_repository_in(tmp_path: Path) -> Repository:
    user = repository_in(tmp_path)
    user.write("changed.txt", "staged")
    user.git("add", "changed.txt")
    user.write("changed.txt", "after")
    user.write("untracked", "mine")
    return user


@pytest.mark.parametrize("number", range(1, PAST_THE_END))
async def test_a_dirty_checkout(number: int, tmp_path: Path) -> None:
    user = dirty_repository_in(tmp_path)
    killed_at(number, user)

    outcome = await deliver_on(user)

    assert outcome == LandedCommit(user.head)
    assert {name: text for name, (_, text) in files_of(user.path).items()} == {
        "changed.txt": b"after",
        "kept.txt": b"kept\n",
        "new": b"work",
        "untracked": b"mine",
    }
    assert user.git("status", "--porcelain") == ""


async def test_the_last_of_these_numbers_is_past_the_end(tmp_path: Path) -> None:
    assert not killed_at(PAST_THE_END, dirty_repository_in(tmp_path))


async def test_a_round_works_with_the_longer_hash(tmp_path: Path) -> None:
    user = empty_repository(tmp_path, object_format="sha256")
    user.write("SPEC.md", "# Build it")

    outcome = await deliver_on(user)

    assert outcome == LandedCommit(user.head)
    assert user.tree() == {"SPEC.md": "# Build it", "new": "work"}
