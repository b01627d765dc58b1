"""Running one command to its end: its input, its output, and what is left of it."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from treadle.adapters.sandboxes.command_runner import (
    Capture,
    ProcessResult,
    query_program,
    run_to_end,
)
from treadle.domain.sandbox import ConfinedCommand, SandboxFailed

pytestmark = pytest.mark.slow

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}
# Leaves its group, and keeps the output open; `at` is written when it has done so.
DAEMON = "setsid sh -c 'echo $$ > at.new; mv at.new at; exec tail -f /dev/null' &"
STARTED = "while ! [ -e at ]; do :; done"


def shell(line: str, report: Path | None = None) -> ConfinedCommand:
    return ConfinedCommand(("/bin/sh", "-c", line), ENVIRONMENT, report=report)


@pytest.mark.parametrize(
    ("capture", "ran"),
    [
        ("joined", ProcessResult(3, "out\nerr\n")),
        ("whole", ProcessResult(3, "out\nerr\n")),
        ("apart", ProcessResult(3, "out\n", "err\n")),
        ("output", ProcessResult(3, "out\n")),
        ("errors", ProcessResult(3, "", "err\n")),
    ],
)
async def test_its_streams_are_captured_as_the_caller_asks(
    capture: Capture, ran: ProcessResult, tmp_path: Path
) -> None:
    start = shell("cat; echo err >&2; exit 3")

    done = await run_to_end(start, directory=tmp_path, seconds=60, stdin=b"out\n", capture=capture)

    assert done == ran


async def test_the_end_of_a_long_output_is_kept(tmp_path: Path) -> None:
    start = shell("head -c 300000 /dev/zero | tr '\\0' x; echo end")

    ran = await run_to_end(start, directory=tmp_path, seconds=60)

    assert ran == ProcessResult(0, "x" * (64 * 1024 - 4) + "end\n")


async def test_only_the_middle_of_an_output_that_is_captured_whole_is_dropped(
    tmp_path: Path,
) -> None:
    start = shell("echo first; head -c 9000000 /dev/zero | tr '\\0' x; echo last")

    ran = await run_to_end(start, directory=tmp_path, seconds=60, capture="whole")

    end = 4 << 20
    first, last = "first\n" + "x" * (end - 6), "x" * (end - 5) + "last\n"
    assert ran == ProcessResult(0, f"{first}\n… ({9000011 - 2 * end} more) …\n{last}")


@pytest.mark.parametrize(
    ("line", "seconds", "ran"),
    [
        (f"echo said; {DAEMON} {STARTED}", 60, ProcessResult(0, "said\n")),
        (
            f"echo said; {DAEMON} {STARTED}; exec tail -f /dev/null",
            2,
            ProcessResult(None, "said\n"),
        ),
    ],
)
async def test_a_daemon_that_keeps_the_output_open_is_not_waited_for(
    line: str, seconds: float, ran: ProcessResult, tmp_path: Path
) -> None:
    try:
        assert await run_to_end(shell(line), directory=tmp_path, seconds=seconds) == ran
    finally:
        os.kill(int((tmp_path / "at").read_text()), signal.SIGKILL)


@pytest.mark.parametrize("line", ["true", "false", "exec tail -f /dev/null", "kill -9 $$"])
async def test_no_report_of_a_sandbox_outlives_its_command(line: str, tmp_path: Path) -> None:
    report = tmp_path / "sandbox-1.json"
    report.touch()

    await run_to_end(shell(line, report), directory=tmp_path, seconds=0.3)

    assert not report.exists()


async def test_no_report_is_left_of_a_command_that_cannot_be_started(tmp_path: Path) -> None:
    report = tmp_path / "sandbox-1.json"
    report.touch()

    with pytest.raises(FileNotFoundError):
        await run_to_end(
            ConfinedCommand(("/no/such/program",), {}, report=report),
            directory=tmp_path,
            seconds=60,
        )

    assert not report.exists()


async def test_a_sandbox_that_failed_is_known_by_its_report(tmp_path: Path) -> None:
    report = tmp_path / "sandbox-1.json"
    report.write_text("report")

    def failure(path: Path, errors: str) -> SandboxFailed:
        return SandboxFailed(f"{path.read_text()}: {errors}")

    start = shell("echo no >&2; exit 1", report)
    ran = await run_to_end(start, directory=tmp_path, seconds=60, capture="apart", failure=failure)

    assert ran == ProcessResult(1, "", "no\n", SandboxFailed("report: no\n"))


async def test_cancelling_the_caller_ends_all_that_the_command_started(
    tmp_path: Path,
) -> None:
    reading, writing = os.pipe()
    start = ConfinedCommand(
        ("/bin/sh", "-c", f"tail -f /dev/null & echo up > /dev/fd/{writing}; wait"),
        ENVIRONMENT,
        (writing,),
        tmp_path / "sandbox-1.json",
    )
    waiting = asyncio.ensure_future(run_to_end(start, directory=tmp_path, seconds=60))
    assert await asyncio.to_thread(os.read, reading, 3) == b"up\n"

    waiting.cancel()
    await asyncio.wait({waiting})

    assert waiting.cancelled()
    # The pipe ends when the last process that has it open ends.
    assert await asyncio.to_thread(os.read, reading, 1) == b""
    os.close(reading)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        (("/bin/sh", "-c", "pwd; echo x >&2"), "/\n"),
        (("/bin/sh", "-c", "echo no; exit 1"), None),
        (("/bin/sh", "-c", "echo no; exec tail -f /dev/null"), None),
        (("/no/such/program",), None),
    ],
)
async def test_a_query_returns_the_output_of_a_program_that_succeeds_and_of_no_other(
    command: tuple[str, ...], output: str | None
) -> None:
    assert await query_program(ConfinedCommand(command, ENVIRONMENT), seconds=0.5) == output


WRITE_STDIN = """
import os, stat, sys
print(stat.S_ISREG(os.fstat(0).st_mode), os.readlink("/proc/self/fd/0"))
print(os.read(0, 100))
for way in ("as it is", "again"):
    try:
        out = 0 if way == "as it is" else os.open("/proc/self/fd/0", os.O_WRONLY)
        print(way, os.pwrite(out, b"planted", 0))
    except OSError as error:
        print(way, "refused")
try: print(os.ftruncate(0, 1 << 20))
except OSError: print("refused")
"""


@pytest.mark.parametrize(
    ("stdin", "lines"),
    [
        (
            b"",
            [
                "False /dev/null",
                "b''",
                *("as it is 7", "again 7", "refused"),
            ],
        ),
        (
            b"given",
            [
                "True /memfd:stdin (deleted)",
                "b'given'",
                *("as it is refused", "again refused", "refused"),
            ],
        ),
    ],
)
async def test_the_input_of_a_command_is_no_file_that_it_can_write(
    stdin: bytes, lines: list[str], tmp_path: Path
) -> None:
    start = ConfinedCommand((sys.executable, "-c", WRITE_STDIN), {})

    ran = await run_to_end(start, directory=tmp_path, seconds=60, stdin=stdin)

    assert (ran.exit_code, ran.output.splitlines()) == (0, lines)


async def test_a_program_that_is_asked_loads_nothing_from_folders_of_the_project(
    tmp_path: Path,
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(3)")
    command = (sys.executable, "-c", "import json; print(json.__name__)")
    environment = {**ENVIRONMENT, "PYTHONPATH": str(tmp_path)}

    assert await query_program(ConfinedCommand(command, environment), seconds=60) == "json\n"
