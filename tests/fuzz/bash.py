"""Many lines in real bash, in one sandbox: no network, nothing to write but its own /tmp."""

import base64
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fuzz.inside import BREAK, END, TRACE

INSIDE = Path(__file__).with_name("inside.py")
_SANDBOX = (
    *("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"),
    *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"),
)


@dataclass(frozen=True, slots=True)
class Ran:
    """What bash did for one line."""

    # Name and arguments of what was not found, so would have been run from a file.
    commands: tuple[tuple[str, ...], ...] = ()
    # What the trace shows: one line for each simple command and assignment.
    traced: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def bubblewrap() -> str | None:
    return shutil.which("bwrap")


def run_in_bash(lines: Sequence[str], *, bwrap: str) -> list[Ran]:
    """One `Ran` for each line, in order."""
    python = [option for place in (sys.base_prefix, sys.prefix) for option in _visible(place)]
    program = [sys.executable, "-I", "-c", INSIDE.read_text(), "/tmp/work"]
    ended = subprocess.run(
        [bwrap, *_SANDBOX, *python, "--chdir", "/tmp", *program],
        input=json.dumps(lines).encode(),
        capture_output=True,
        env={},
        check=False,
    )
    told = ended.stdout.decode().splitlines()
    if ended.returncode != 0 or len(told) != len(lines):
        raise RuntimeError(f"the sandbox failed: {ended.stderr.decode()[-500:]}")
    return [_ran(json.loads(each)) for each in told]


def _visible(place: str) -> tuple[str, str, str]:
    return ("--ro-bind", place, place)


def _ran(told: dict[str, Any]) -> Ran:
    log = base64.b64decode(told["log"]).decode(errors="replace").replace(BREAK, "\n")
    records = [each for each in log.split(f"{END}\0") if each]
    trace = base64.b64decode(told["trace"]).decode(errors="replace")
    return Ran(
        tuple(tuple(each.split("\0")[:-1]) for each in records),
        tuple(_traced(trace)),
        tuple(told["files"]),
    )


def _traced(trace: str) -> list[str]:
    level, mark = TRACE[0], TRACE[1:]
    found = (line.lstrip(level) for line in trace.splitlines() if line.startswith(level))
    return [line.removeprefix(mark) for line in found if line.startswith(mark)]
