"""Drills: agents destroy their commits, people drop runs; `treadle undo` brings all of it back."""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.acceptance.harness import (
    BUILD_IT,
    ONE_DELIVERABLE,
    CommandHarness,
    Finished,
    script,
)

MAKE = "echo precious > lost.txt && git add lost.txt && git commit -qm Precious"
ORPHAN = f"git checkout -q --orphan x && {MAKE}"
BACK = "git checkout -qf $(git branch --list 'treadle/*' --format='%(refname:short)')"
EXPIRE = "git reflog expire --expire=now --expire-unreachable=now --all"
COLLECT = "git gc -q --prune=now"
DRILLS = {
    "reset": (MAKE, "git reset -q --hard HEAD~1", EXPIRE, COLLECT),
    "reset by ref": (f"{MAKE} && git update-ref HEAD HEAD~1 && git checkout -qf . && {EXPIRE}",),
    "branch deleted": (ORPHAN, BACK, "git branch -qD x", f"{EXPIRE} && git prune --expire=now"),
    "ref deleted": (
        ORPHAN,
        f"{BACK} && git update-ref -d refs/heads/x",
        "rm -rf .git/logs",
        COLLECT,
    ),
    "stash dropped": (
        "echo precious > lost.txt && git add lost.txt && git stash -q -m Precious",
        "git stash clear",
        f"{EXPIRE} && {COLLECT}",
    ),
    "git directory removed": (
        MAKE,
        "python3 -c 'import shutil; shutil.rmtree(\".git\", ignore_errors=True)'",
        "rm -f lost.txt && git init -q",
    ),
}
UNLANDED = ("--land", "never", "--allow-destructive")


def destroying(*lines: str) -> str:
    turns = "".join(
        f"      - {{tool: Bash, input: {{command: {json.dumps(line)}}}}}\n" for line in lines
    )
    return BUILD_IT.replace("    turns:\n", f"    turns:\n{turns}", 1)


def command_in(finished: Finished, start: str) -> list[str]:
    """The words of the printed line that starts so."""
    [line] = [
        line.strip() for line in finished.stdout.splitlines() if line.strip().startswith(start)
    ]
    return line.partition("    #")[0].split()


@pytest.mark.parametrize("lines", DRILLS.values(), ids=DRILLS.keys())
def test_undo_restores_what_sessions_destroyed_also_after_a_drop(
    harness: CommandHarness, lines: tuple[str, ...]
) -> None:
    finished = harness.deliver(script(ONE_DELIVERABLE, destroying(*lines)), *UNLANDED)
    assert finished.exit_code == 0
    branch = finished.of_type("work.kept")[-1]["branch"]
    tip, before = harness.git("rev-parse", branch), harness.git("rev-parse", "HEAD", "HEAD^{tree}")

    dropped = harness.treadle("drop")
    gone = harness.git("branch", "--list", "treadle/*")
    undone = harness.treadle(*command_in(dropped, "treadle undo")[1:])
    again = harness.treadle("undo")

    assert (dropped.exit_code, undone.exit_code, gone) == (0, 0, "")
    assert harness.git("rev-parse", branch) == tip
    restored = command_in(undone, "git branch")
    harness.git(*restored[1:])
    assert harness.git("show", f"{restored[2]}:lost.txt") == "precious"
    assert again.stderr.startswith("There is nothing to undo for run ")
    assert harness.git("rev-parse", "HEAD", "HEAD^{tree}") == before
    assert harness.git("status", "--porcelain") == ""


def test_a_landing_is_undone_and_landed_again(harness: CommandHarness) -> None:
    before = harness.git("rev-parse", "HEAD")
    assert harness.deliver(script(ONE_DELIVERABLE, BUILD_IT)).exit_code == 0
    landed = harness.git("rev-parse", "HEAD")

    undone = harness.treadle("undo")
    moved = harness.git("rev-parse", "HEAD")
    again = harness.treadle(*command_in(undone, "treadle land")[1:])

    assert (undone.exit_code, moved, again.exit_code) == (0, before, 0)
    assert harness.git("rev-parse", "HEAD") == landed
    assert "undid the landing" in undone.stdout


def test_a_drop_and_an_undo_that_are_killed_anywhere_go_on(harness: CommandHarness) -> None:
    """Git itself is a program that kills its parent at a chosen call."""
    lines = (MAKE, "git reset -q --hard HEAD~1")
    finished = harness.deliver(script(ONE_DELIVERABLE, destroying(*lines)), *UNLANDED)
    branch = finished.of_type("work.kept")[-1]["branch"]
    tip = harness.git("rev-parse", branch)
    workspace = Path(finished.of_type("workspace.prepared")[0]["path"])
    (workspace / "progress.txt").write_text("half\n")
    killer = KillingGit(harness)

    killed = 0
    for call in (5, 18):
        killed += killer.treadle("drop", call=call)
        harness.treadle("drop")
        assert harness.git("branch", "--list", "treadle/*") == ""
        killed += killer.treadle("undo", call=call)
        harness.treadle("undo")
        assert harness.git("rev-parse", branch) == tip
        assert (workspace / "progress.txt").read_text() == "half\n"
        [lost] = harness.git("for-each-ref", "--format=%(refname)", DROPPED).splitlines()
        assert harness.git("show", f"{lost}:lost.txt") == "precious"
        harness.git("update-ref", "-d", lost)
    assert killed >= 3


DROPPED = "refs/treadle/backup/*/dropped/*"


class KillingGit:
    """A `git` on the PATH that ends the process that started it, at one of its calls."""

    def __init__(self, harness: CommandHarness) -> None:
        self._harness = harness
        self._folder = harness.directory / "killing"
        self._folder.mkdir()
        real = shutil.which("git")
        program = self._folder / "git"
        program.write_text(
            "#!/bin/sh\n"
            f'echo >> "{self._folder}/calls"\n'
            f'test "$(wc -l < "{self._folder}/calls")" -eq "$KILL_AT" && kill -9 $PPID\n'
            f'exec {real} "$@"\n'
        )
        program.chmod(0o755)

    def treadle(self, *arguments: str, call: int) -> bool:
        """Run a command; whether it was killed."""
        (self._folder / "calls").unlink(missing_ok=True)
        path = f"{self._folder}{os.pathsep}{self._harness.environment['PATH']}"
        done = subprocess.run(
            [self._harness.command, *arguments],
            cwd=self._harness.project,
            env={**self._harness.environment, "PATH": path, "KILL_AT": str(call)},
            capture_output=True,
            timeout=100,
            check=False,
        )
        return done.returncode == -signal.SIGKILL
