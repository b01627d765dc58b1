"""Whoever reads a command's output may leave, be full or never have been there."""

import os
import pty
import select
import subprocess
from pathlib import Path

import pytest

from tests.acceptance.harness import BUILD_IT, ONE_DELIVERABLE, TREADLE, CommandHarness, script

IN_LATIN_1 = r"""
      - tool: Bash
        input: {command: "printf 'lac\\351\\n' > latin.txt"}
"""


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> CommandHarness:
    """A project with a finished run; nothing here changes it."""
    harness = CommandHarness(tmp_path_factory.mktemp("finished_run"))
    assert harness.deliver(script(ONE_DELIVERABLE, BUILD_IT)).exit_code == 0
    return harness


def test_a_run_goes_on_when_the_reader_of_its_json_has_left(harness: CommandHarness) -> None:
    running = harness.start(script(ONE_DELIVERABLE, BUILD_IT))
    running.until("run.started")
    assert running.process.stdout is not None
    running.process.stdout.close()

    assert running.process.wait(timeout=100) == 0
    assert (harness.project / "hello.txt").read_text() == "hello\n"
    assert "Traceback" not in running.stderr.read_text()


@pytest.mark.parametrize(
    "command",
    ["logs", "logs --json", "show", "ls", "ls --json", "diff", "config schema", "--help", "status"],
)
def test_a_reader_that_leaves_ends_a_command_in_silence(
    finished_run: CommandHarness, command: str
) -> None:
    reading, writing = os.pipe()
    os.close(reading)

    done = written_to(finished_run, command, writing)
    os.close(writing)

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("command", ["logs", "logs --json", "ls", "diff", "--help"])
def test_output_that_nothing_takes_is_said_in_one_line(
    finished_run: CommandHarness, command: str
) -> None:
    with Path("/dev/full").open("w") as full:
        done = written_to(finished_run, command, full.fileno())

    assert (done.returncode, done.stderr.decode().splitlines()) == (
        1,
        [
            "treadle: cannot write the output: No space left on device",
            "  hint: check the permissions and the space left there",
        ],
    )


def written_to(
    harness: CommandHarness, command: str, stdout: int
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [TREADLE, *command.split()],
        cwd=harness.project,
        env=harness.environment,
        stdout=stdout,
        stderr=subprocess.PIPE,
        check=False,
    )


@pytest.mark.parametrize("command", ["logs", "show", "ls", "diff", "deliver"])
def test_closed_streams_change_nothing(finished_run: CommandHarness, command: str) -> None:
    before = finished_run.treadle("ls", "--json").stdout
    closed = ["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", str(TREADLE), command]

    done = subprocess.run(
        closed, cwd=finished_run.project, env=finished_run.environment, check=False
    )

    # Without a login there is nothing to deliver with.
    assert done.returncode == (4 if command == "deliver" else 0)
    assert finished_run.treadle("ls", "--json").stdout == before


def test_a_patch_is_shown_byte_for_byte_whatever_the_terminal_speaks(
    harness: CommandHarness,
) -> None:
    build = BUILD_IT.replace("    turns:\n", f"    turns:\n{IN_LATIN_1}")
    assert harness.deliver(script(ONE_DELIVERABLE, build)).exit_code == 0

    done = subprocess.run(
        [TREADLE, "diff"],
        cwd=harness.project,
        env={**harness.environment, "PYTHONIOENCODING": "ascii:strict"},
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\n+lac\xe9\n" in done.stdout


def test_a_screen_is_shown_what_it_would_obey_in_a_patch(harness: CommandHarness) -> None:
    build = BUILD_IT.replace("    turns:\n", f"    turns:\n{IN_LATIN_1}")
    assert harness.deliver(script(ONE_DELIVERABLE, build)).exit_code == 0
    ours, theirs = pty.openpty()

    subprocess.run(
        [TREADLE, "diff"], cwd=harness.project, env=harness.environment, stdout=theirs, check=True
    )

    assert b"\n+lac\\xe9\r\n" in os.read(ours, 4096)
    os.close(ours)
    os.close(theirs)


def test_a_reader_that_does_not_read_holds_up_neither_the_run_nor_its_signals(
    harness: CommandHarness,
) -> None:
    long = "x" * 300_000
    harness.settings({})
    path = harness.directory / "script.yaml"
    path.write_text(script(ONE_DELIVERABLE.replace("Written down.", long), BUILD_IT))
    process = subprocess.Popen(
        [TREADLE, "rehearse", str(path), "--", "deliver", "--json"],
        cwd=harness.project,
        env=harness.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    with process:
        while not (harness.project / "hello.txt").exists() and process.poll() is None:
            select.select([], [], [], 0.05)
        process.terminate()
        process.wait(timeout=60)

        # It landed while nobody read, and a signal ended the waiting for a reader.
        assert (harness.project / "hello.txt").exists()
        assert process.stdout is not None
        process.stdout.read()
