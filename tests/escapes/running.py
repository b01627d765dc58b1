"""Runs confined commands for a caller."""

import os
import subprocess
from collections.abc import Sequence

from tests.escapes.callers import Caller
from treadle.domain.sandbox import ConfinedCommand, Confinement

VARIABLES = {"LANG": "C.UTF-8"}


def confined_by(caller: Caller, command: Sequence[str], within: Confinement) -> ConfinedCommand:
    confined = caller.confine(command, VARIABLES, within)
    assert isinstance(confined, ConfinedCommand)
    return confined


def start(confined: ConfinedCommand) -> subprocess.Popen[str]:
    """Starts it with all streams in pipes, and closes the descriptors here."""
    try:
        return subprocess.Popen(
            confined.command,
            env=dict(confined.environment),
            pass_fds=confined.descriptors,
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        for descriptor in confined.descriptors:
            os.close(descriptor)


def run(
    caller: Caller, command: Sequence[str], within: Confinement, *, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    with start(confined_by(caller, command, within)) as process:
        stdout, stderr = process.communicate(stdin, timeout=60)
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)
