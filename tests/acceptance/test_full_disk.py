"""A disk that is full or cannot be written is said in one line; nothing stored is lost, and work
goes on when there is space."""

import json
import os
import select
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.acceptance.harness import (
    BUILD_IT,
    ONE_DELIVERABLE,
    CommandHarness,
    Finished,
    assert_all_gone,
    script,
)
from tests.missing import missing

# The file that a session waits for lies outside of every sandbox.
UNCONFINED = "--no-sandbox"
DATABASES = ("engine.db", "events.db")
# Nothing ends before the disk is really full.
TO_THE_LAST_BYTE = {"sandbox.free_mb": "0"}


@contextmanager
def own_disk(harness: CommandHarness, size: str) -> Iterator[CommandHarness]:
    """The harness with its Treadle root on a file system of its own."""
    if os.geteuid() != 0:
        missing("only root can mount a file system; CI does")
    harness.root.mkdir()
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", harness.root], check=True
    )
    yield harness
    subprocess.run(["umount", "--lazy", harness.root], check=True)


@pytest.fixture
def small_disk(harness: CommandHarness) -> Iterator[CommandHarness]:
    """Too small for a run."""
    with own_disk(harness, "200k") as small:
        yield small


@pytest.fixture
def large_disk(harness: CommandHarness) -> Iterator[CommandHarness]:
    """Large enough for a run, until somebody fills it."""
    with own_disk(harness, "64m") as large:
        yield large


def held_up(gate: Path) -> str:
    """A session that does not end before there is a file of this name."""
    return BUILD_IT.replace(
        "    turns:\n",
        "    turns:\n      - tool: Bash\n        input:"
        f' {{command: "until [ -e {gate} ]; do sleep 0.1; done"}}\n',
    )


def fill(disk: Path) -> Path:
    """Leave no byte free; the file that takes it all."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (65536, 1024, 1):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError:  # full for this size, perhaps not for a smaller one
                continue
    return ballast


def wait_for_transcript(harness: CommandHarness, session: str) -> None:
    """The agent writes down what was said a moment later; without that it cannot go on with it."""
    for _ in range(600):
        kept = harness.root.rglob(f"{session}.jsonl")
        if any("tool_use" in path.read_text() for path in kept):
            return
        select.select([], [], [], 0.1)
    raise AssertionError("the agent has not written down what was said in a minute")


def make_read_only(disk: Path) -> None:
    """A killed process holds its files for a moment still, and the kernel refuses until then."""
    for _ in range(500):
        if subprocess.run(["mount", "-o", "remount,ro", disk], check=False).returncode == 0:
            return
        select.select([], [], [], 0.01)
    raise AssertionError("somebody still writes to the disk")


def assert_intact(root: Path) -> None:
    for name in DATABASES:
        with closing(sqlite3.connect(root / name)) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)], name


def assert_one_line(refused: Finished, *said: str) -> None:
    """The exit code of an error, one line that says what is wrong, and one what to do."""
    assert refused.exit_code == 1
    assert "Traceback" not in refused.stderr
    errors = [line for line in refused.stderr.splitlines() if line.startswith("treadle: ")]
    hints = [line for line in refused.stderr.splitlines() if line.startswith("  hint: ")]
    assert (len(errors), len(hints)) == (1, 1), refused.stderr
    for words in said:
        assert words in errors[0]


def branches(harness: CommandHarness) -> tuple[str, str]:
    return harness.git("for-each-ref", "refs/heads"), harness.git("status", "--porcelain")


def test_a_full_disk_is_said_in_one_line_and_the_next_run_with_space_succeeds(
    small_disk: CommandHarness,
) -> None:
    harness = small_disk
    before = branches(harness)

    full = harness.deliver(script(ONE_DELIVERABLE, BUILD_IT), settings=TO_THE_LAST_BYTE)

    assert full.exit_code == 1
    assert "Traceback" not in full.stderr
    assert "no space left" in full.stderr.lower()
    assert branches(harness) == before

    subprocess.run(["mount", "-o", "remount,size=64m", harness.root], check=True)
    # How far the first run came depends on when the disk was full: it may have planned already.
    planning = ONE_DELIVERABLE.replace("initializer\n", "initializer\n    optional: true\n")
    finished = harness.deliver(script(planning, BUILD_IT))

    assert (finished.exit_code, finished.result["reason"]) == (0, "all_passed")


def test_a_run_whose_disk_fills_up_goes_on_where_it_was_when_there_is_space(
    large_disk: CommandHarness,
) -> None:
    harness, gate = large_disk, large_disk.directory / "gate"
    before = branches(harness)
    rehearsal = script(ONE_DELIVERABLE, held_up(gate))
    running = harness.start(rehearsal, UNCONFINED, settings=TO_THE_LAST_BYTE)
    run = str(running.until("run.started")["run"])
    session = str(running.until("session.started", role="implementer")["session"])
    running.until("tool.decided", name="Bash")
    wait_for_transcript(harness, session)

    ballast = fill(harness.root)
    gate.touch()
    full = running.finish()

    assert_one_line(full, "no space left")
    assert branches(harness) == before
    assert_all_gone(full)
    assert_intact(harness.root)
    ballast.unlink()
    resumed = harness.treadle("resume", run, "--json")

    assert (resumed.exit_code, resumed.result["reason"]) == (0, "all_passed")
    log = harness.treadle("logs", run, "--json")
    assert [line["seq"] for line in log.lines] == list(range(1, len(log.lines) + 1))
    assert harness.git("log", "--format=%s").splitlines() == [
        "Round 2: A greeting (DL-001)",
        "The specification",
    ]
    assert_intact(harness.root)


def killed_in_a_session(harness: CommandHarness) -> str:
    """A run that was killed while a tool waited, which will wait no more; its id."""
    gate = harness.directory / "gate"
    running = harness.start(script(ONE_DELIVERABLE, held_up(gate)), UNCONFINED)
    run = str(running.until("run.started")["run"])
    running.until("tool.decided", name="Bash")
    running.process.send_signal(signal.SIGKILL)
    killed = running.finish()
    # Without a sandbox the tool outlives a kill -9, until a next start sweeps it: it is let go.
    gate.touch()
    assert_all_gone(killed)
    return run


def as_anyone(harness: CommandHarness, *arguments: str) -> Finished:
    """The command without what lets root write everywhere."""
    plain: list[str] = []
    if os.geteuid() == 0:
        setpriv = shutil.which("setpriv")
        assert setpriv is not None, "setpriv of util-linux is needed to test this as root"
        plain = [setpriv, "--bounding-set", "-dac_override,-dac_read_search", "--inh-caps", "-all"]
    return harness.behind(plain, *arguments)


@pytest.mark.parametrize("name", DATABASES)
def test_a_database_that_cannot_be_written_is_said_in_one_line_and_the_run_goes_on_later(
    harness: CommandHarness, name: str
) -> None:
    run = killed_in_a_session(harness)
    modes = {path: path.stat().st_mode for path in harness.root.glob(f"{name}*")}
    for path, mode in modes.items():
        path.chmod(mode & ~0o222)

    anew = ("rehearse", str(harness.directory / "script.yaml"), "--", "deliver")
    refused = [as_anyone(harness, "resume", run), as_anyone(harness, *anew)]

    for path, mode in modes.items():
        path.chmod(mode)
    for each in refused:
        assert_one_line(each, "cannot write", str(harness.root / name))
    assert_intact(harness.root)
    resumed = harness.treadle("resume", run, "--json")
    assert (resumed.exit_code, resumed.result["reason"]) == (0, "all_passed")
    assert_intact(harness.root)


def test_a_disk_that_became_read_only_is_said_in_one_line_and_the_run_goes_on_later(
    large_disk: CommandHarness,
) -> None:
    harness = large_disk
    run = killed_in_a_session(harness)
    make_read_only(harness.root)

    refused = harness.treadle("resume", run)

    assert_one_line(refused, "cannot write", "Read-only file system")
    subprocess.run(["mount", "-o", "remount,rw", harness.root], check=True)
    assert_intact(harness.root)
    resumed = harness.treadle("resume", run, "--json")
    assert (resumed.exit_code, resumed.result["reason"]) == (0, "all_passed")


# It leaves 4 MB of the disk; the pipe has no writer, so it waits for ever.
FILL = """
import os
with open("zeros", "wb", buffering=0) as file:
    while os.statvfs(".").f_bavail * os.statvfs(".").f_frsize > 4 << 20: file.write(bytes(1 << 19))
os.mkfifo("pipe"); open("pipe").read()
"""
FILLS_THE_DISK = f"""
  - role: implementer
    turns:
      - tool: Write
        input: {{file_path: kept.txt, content: "kept"}}
      - tool: Write
        input: {{file_path: fill.py, content: {json.dumps(FILL)}}}
      - tool: Bash
        input: {{command: python3 fill.py}}
"""


def test_a_session_that_fills_the_disk_is_ended_and_its_work_kept(
    large_disk: CommandHarness,
) -> None:
    harness = large_disk
    subprocess.run(["mount", "-o", "remount,size=120m", harness.root], check=True)

    # One is for the session that does not start.
    full = harness.deliver(script(ONE_DELIVERABLE, FILLS_THE_DISK, BUILD_IT, BUILD_IT))

    assert (full.exit_code, full.result["reason"]) == (1, "error")
    assert "are free on the disk of" in full.result["message"]
    assert "`treadle resume`" in full.result["message"]
    assert_all_gone(full)
    assert_intact(harness.root)
    run = str(full.of_type("run.started")[0]["run"])
    again = harness.treadle("resume", run, "--json")

    # At no cost: the agent was not even started.
    assert (again.exit_code, again.result["reason"]) == (1, "error")
    assert again.of_type("agent.started") == []
    assert "are free on the disk of" in again.result["message"]
    subprocess.run(["mount", "-o", "remount,size=400m", harness.root], check=True)
    resumed = harness.treadle("resume", run, "--json")

    assert (resumed.exit_code, resumed.result["reason"]) == (0, "all_passed")
    assert harness.git("show", "HEAD:kept.txt") == "kept"
