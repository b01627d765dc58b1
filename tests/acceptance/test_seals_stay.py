"""What a sandbox seals stays sealed for as long as the agent runs: the host replaces none of it.

A mount on a file is gone as soon as somebody outside puts another file in its place. The agent of
these tests looks at its own mounts, as its first act and as its last.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.acceptance.harness import ONE_DELIVERABLE, CommandHarness, Finished, script

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="nothing is mounted there")

LOOK = """
import pathlib, sys
top = str(pathlib.Path.cwd())
mounts = [line.split() for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()]
sealed = [m[4] for m in mounts if m[4].startswith(f"{top}/") and "ro" in m[5].split(",")]
pathlib.Path(sys.argv[1]).write_text("\\n".join(sorted(path[len(top) + 1:] for path in sealed)))
"""
BUILD = """
  - role: implementer
    turns:
      - tool: Bash
        input: {command: python3 look.py first.txt}
      - tool: Write
        input: {file_path: hello.txt, content: "hello\\n"}
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: passed}
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: pending}
      - tool: Bash
        input: {command: "until [ -e go-on ]; do sleep 0.1; done"}
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: passed}
      - tool: Bash
        input: {command: git add -A && git commit -q -m Hello}
      - tool: Bash
        input: {command: python3 look.py last.txt}
      - text: Built and checked.
"""
ALWAYS = {
    *(".git/config", ".git/hooks", ".git/objects/info/alternates"),
    *(".treadle", "treadle.toml", ".claude", ".mcp.json"),
}

# What the host tells of its own work in a workspace.
IN_THE_WORKSPACE = {
    *("workspace.prepared", "setup.finished", "work.committed", "work.imported", "work.withheld"),
    *("check.finished", "suite.finished", "work.landed", "work.kept"),
}

Act = Callable[[CommandHarness, Path], None]


def built(harness: CommandHarness, meanwhile: Act) -> tuple[Finished, set[str], set[str]]:
    """A run, something that happens outside in the middle of a session, and what was sealed."""
    (harness.project / "look.py").write_text(LOOK)
    (harness.project / ".envrc").write_text("export A=1\n")
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "A way to look")
    settings = {"hooks.before_tool_use": '["true"]', "verify.protect": '["look.py"]'}
    running = harness.start(script(ONE_DELIVERABLE, BUILD), settings=settings)
    workspace = Path(running.until("workspace.prepared")["path"])
    running.until("deliverable.changed", status="pending")
    meanwhile(harness, workspace)
    (workspace / "go-on").touch()
    finished = running.finish()
    first, last = (
        set((workspace / f"{name}.txt").read_text().split()) for name in ("first", "last")
    )
    return finished, first, last


def use_every_command(harness: CommandHarness, _: Path) -> None:
    """What a person does while an agent works: looks, edits, commits."""
    for command in ("status", "show last", "diff last", "logs last", "check list", "doctor"):
        harness.treadle(*command.split())
    harness.treadle("check", "add", "DL-001", "1", "--", "grep -q hello hello.txt")
    harness.treadle("clean", "--yes")
    (harness.project / "treadle.toml").touch()
    harness.git("commit", "-q", "--allow-empty", "-m", "Meanwhile")


def replace_what_is_sealed(_: CommandHarness, workspace: Path) -> None:
    config = workspace / ".git" / "config"
    beside = config.with_name("config.new")
    beside.write_bytes(config.read_bytes())
    beside.replace(config)


def test_nothing_on_the_host_replaces_a_sealed_file_while_an_agent_runs(
    harness: CommandHarness,
) -> None:
    finished, first, last = built(harness, use_every_command)

    assert finished.exit_code == 0
    assert first >= {*ALWAYS, ".envrc", "look.py"}
    assert last == first
    assert recorded_while_an_agent_ran(finished) & IN_THE_WORKSPACE == set()


def recorded_while_an_agent_ran(finished: Finished) -> set[str]:
    told: set[str] = set()
    running = False
    for kind in finished.types():
        running = kind == "session.started" or (running and kind != "session.ended")
        if running:
            told.add(kind)
    return told


def test_an_agent_would_see_that_a_sealed_file_was_replaced(harness: CommandHarness) -> None:
    _, first, last = built(harness, replace_what_is_sealed)

    assert first - last == {".git/config"}
