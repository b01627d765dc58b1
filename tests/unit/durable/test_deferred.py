"""A module that a library imports and seldom needs is loaded when it is first used."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from treadle.durable.deferred import deferred

with deferred("psycopg", "errors"):
    import treadle.durable.open
print("psycopg" in sys.modules, "psycopg_binary" in sys.modules)
from dbos import _queue, _utils
{use}
import psycopg
print(_utils.psycopg.OperationalError is psycopg.OperationalError)
print(_queue.errors.LockNotAvailable is psycopg.errors.LockNotAvailable)
"""


@pytest.mark.parametrize(
    "use",
    [
        "isinstance(ValueError(), _utils.psycopg.OperationalError)",
        "isinstance(ValueError(), _queue.errors.LockNotAvailable)",
        "import psycopg.errors",
    ],
)
def test_the_engine_gets_its_driver_for_postgresql_once_it_uses_it(use: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(use=use)], capture_output=True, text=True, check=True
    )

    assert done.stdout.splitlines() == ["False False", "True", "True"]


def test_a_module_that_is_there_is_not_deferred() -> None:
    from treadle.durable.deferred import deferred

    with deferred("json", "decoder"):
        import json

    assert json is sys.modules["json"]
    assert json.loads("1") == 1


def test_a_module_that_is_used_at_once_is_loaded_at_once() -> None:
    program = (
        "import sys\nfrom treadle.durable.deferred import deferred\n"
        "with deferred('colorsys'):\n    from colorsys import rgb_to_hsv\n"
        "print(rgb_to_hsv.__module__, type(sys.modules['colorsys']).__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["colorsys", "module"]
