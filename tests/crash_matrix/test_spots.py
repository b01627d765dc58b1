"""A process dies at the spot that is named, and nowhere else."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crash_matrix.cases import CASES
from tests.crash_matrix.spots import Call, Spot, find_function

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = """
import asyncio, os, shutil, sys
from tests.crash_matrix.spots import AtStep, Call, plant
plant({spot!r})
{body}
sys.exit(7)
"""
DIED, LIVED = -signal.SIGKILL, 7


def lives(spot: Spot, body: str) -> int:
    program = PROGRAM.format(spot=spot, body=body)
    return subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, check=False).returncode


@pytest.mark.parametrize(
    ("spot", "body", "exit_code"),
    [
        (Call("shutil:which", "before"), "shutil.which('sh')", DIED),
        (Call("shutil:which", "after"), "shutil.which('sh')", DIED),
        (Call("shutil:which", "after"), "", LIVED),
        (Call("shutil:which", "before", ("git",)), "shutil.which('sh')", LIVED),
        (Call("shutil:which", "before", ("sh",), 2), "shutil.which('sh')", LIVED),
        (
            Call("shutil:which", "before", ("sh",), 2),
            "shutil.which('sh'); shutil.which('sh')",
            DIED,
        ),
        (Call("asyncio:sleep", "during"), "asyncio.run(asyncio.sleep(60))", DIED),
        (Call("asyncio:sleep", "during"), "asyncio.run(asyncio.sleep(0))", LIVED),
    ],
)
def test_a_process_dies_at_its_spot_alone(spot: Spot, body: str, exit_code: int) -> None:
    assert lives(spot, body) == exit_code


def test_every_point_has_a_name_of_its_own() -> None:
    names = [case.name for case in CASES]

    assert len(names) == len(set(names))


def test_the_last_act_of_a_case_lives_and_some_act_before_it_dies() -> None:
    wrong = [
        case.name
        for case in CASES
        if case.commands[-1].dies is not None
        or all(command.dies is None for command in case.commands)
    ]

    assert wrong == []


FUNCTIONS = sorted(
    {
        command.dies.function
        for case in CASES
        for command in case.commands
        if isinstance(command.dies, Call)
    }
)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_that_a_point_names_is_there(function: str) -> None:
    owner, name = find_function(function)

    assert callable(getattr(owner, name))
