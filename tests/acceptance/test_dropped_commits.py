"""Drills: a session commits and destroys its commits again. `treadle undo` restores them."""

import json
from pathlib import Path

import pytest

from tests.acceptance.harness import BUILD_IT, ONE_DELIVERABLE, CommandHarness, Finished, script
from tests.acceptance.test_task import APPROVES, PLANNER, SOON, TaskHarness, builder, checkout_state

COMMIT = (
    "git checkout -q --orphan x && echo precious > lost.txt && git add lost.txt"
    " && git commit -qm Precious"
)
BACK = "git checkout -qf $(git branch --list 'treadle/*' --format='%(refname:short)')"
DELETE = "git branch -qD x"
EXPIRE = "git reflog expire --expire=now --expire-unreachable=now --all"
COLLECT = "git gc -q --prune=now"
# The policy need not understand what a program does.
REMOVE = "python3 -c 'import shutil; shutil.rmtree(\".git\", ignore_errors=True)'"
INIT = "git init -q"
DRILLS = {
    "in several tool uses": (COMMIT, BACK, DELETE, EXPIRE, COLLECT),
    "in one line": (" && ".join((COMMIT, BACK, DELETE, EXPIRE, COLLECT)),),
    "with the git directory": (f"{COMMIT} && {BACK} && {REMOVE} && {INIT}",),
}


def destroying(lines: tuple[str, ...]) -> str:
    return BUILD_IT.replace("    turns:\n", f"    turns:\n{''.join(tool_uses(lines))}", 1)


def tool_uses(lines: tuple[str, ...]) -> list[str]:
    return [f"      - {{tool: Bash, input: {{command: {json.dumps(line)}}}}}\n" for line in lines]


def git_in(harness: CommandHarness, store: str, *arguments: str) -> str:
    return harness.git(f"--git-dir={store}", *arguments)


@pytest.mark.parametrize("lines", DRILLS.values(), ids=DRILLS.keys())
def test_commits_that_a_session_makes_and_destroys_are_kept_and_found(
    harness: CommandHarness, lines: tuple[str, ...]
) -> None:
    finished = harness.deliver(script(ONE_DELIVERABLE, destroying(lines)), "--allow-destructive")

    assert finished.exit_code == 0
    [kept] = finished.of_type("commits.kept")
    folder = f"refs/treadle/backup/{run_of(finished)}/dropped"
    assert (kept["refs"], kept["commits"]) == ([f"{folder}/1"], 1)
    assert git_in(harness, kept["store"], "show", f"{folder}/1:lost.txt") == "precious"
    shown = words(harness.treadle("show", "last").stdout)
    assert f"1droppedcommitkept{folder}/1" in shown
    assert f"git--git-dir={kept['store']}log--no-walk--all" in shown
    assert harness.git("for-each-ref", folder) == ""
    assert Path(kept["store"]).is_relative_to(harness.root)

    undone = harness.treadle("undo", "--commits", "last")

    assert undone.exit_code == 0, undone.stderr
    assert harness.git("show", f"{folder}/1:lost.txt") == "precious"


def test_all_that_a_task_destroyed_and_a_person_dropped_is_restored_by_undo(
    tmp_path: Path,
) -> None:
    harness = TaskHarness(tmp_path)
    before, turn, after = builder("hello").partition("      - tool: mcp__treadle")
    lines = (
        "echo precious > lost.txt && git add lost.txt && git commit -qm Precious",
        f"git reset -q --hard HEAD~1 && rm -f lost.txt && {EXPIRE} && {COLLECT}",
    )
    turns = "".join(tool_uses(lines))
    finished = harness.task(
        script(PLANNER, f"{before}{turns}{turn}{after}", APPROVES),
        "--allow-destructive",
        settings=SOON,
    )
    assert finished.result["reason"] == "approved", finished.stderr
    branch = finished.of_type("work.kept")[-1]["branch"]
    tip, checkout = harness.git("rev-parse", branch), checkout_state(harness)

    dropped = harness.treadle("drop", "last")
    left = harness.git("for-each-ref", "--format=%(refname)", "refs/heads/treadle")
    undone = harness.treadle("undo", "last")

    assert (dropped.exit_code, undone.exit_code, left) == (0, 0, ""), undone.stderr
    assert harness.git("rev-parse", branch) == tip
    assert harness.git("log", "--format=%s", f"main..{branch}") == "Say hello"
    folder = f"refs/treadle/backup/{run_of(finished)}/dropped"
    assert harness.git("show", f"{folder}/1:lost.txt") == "precious"
    assert checkout_state(harness) == checkout
    assert "nothing to undo" in harness.treadle("undo", "last").stderr


def run_of(finished: Finished) -> str:
    return str(finished.lines[0]["run"])


def words(text: str) -> str:
    """What is shown, however its lines are broken."""
    return "".join(text.replace("│", "").replace("\\\n", "").split())
