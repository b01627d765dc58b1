"""A full disk is said in one line; nothing stored is lost, and work goes on when there is space."""

import os
import subprocess
from collections.abc import Iterator

import pytest

from tests.acceptance.stage import BUILD_IT, ONE_DELIVERABLE, Stage, script
from tests.missing import missing


@pytest.fixture
def small_disk(stage: Stage) -> Iterator[Stage]:
    """The stage with its Treadle root on a file system of its own, too small for a run."""
    if os.geteuid() != 0:
        missing("only root can mount a file system; CI does")
    stage.root.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", stage.root], check=True)
    yield stage
    subprocess.run(["umount", "--lazy", stage.root], check=True)


def test_a_full_disk_is_said_in_one_line_and_the_next_run_with_space_succeeds(
    small_disk: Stage,
) -> None:
    stage = small_disk
    before = stage.git("for-each-ref", "refs/heads"), stage.git("status", "--porcelain")

    full = stage.deliver(script(ONE_DELIVERABLE, BUILD_IT))

    assert full.exit_code == 1
    assert "Traceback" not in full.stderr
    assert "no space left" in full.stderr.lower()
    assert (stage.git("for-each-ref", "refs/heads"), stage.git("status", "--porcelain")) == before

    subprocess.run(["mount", "-o", "remount,size=64m", stage.root], check=True)
    # How far the first run came depends on when the disk was full: it may have planned already.
    planning = ONE_DELIVERABLE.replace("initializer\n", "initializer\n    optional: true\n")
    finished = stage.deliver(script(planning, BUILD_IT))

    assert (finished.exit_code, finished.result["reason"]) == (0, "all_passed")
