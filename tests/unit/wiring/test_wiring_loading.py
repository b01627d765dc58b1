"""Loading what a run needs: the engine first, the rest behind it, and the process as it was."""

import subprocess
import sys

PROGRAM = """
import asyncio, atexit, gc, pathlib, sys
from treadle.domain.storage import Storage
from treadle.wiring.loading import ENGINE, start_loading

def tell(when):
    names = (ENGINE, "claude_agent_sdk", "psycopg", "croniter")
    print(when, *(name in sys.modules for name in names))

async def main():
    storage = Storage(pathlib.Path("/nowhere"), {url!r})
    loading = start_loading(storage)
    assert start_loading(storage) is loading
    {act}

pace = gc.isenabled(), sys.getswitchinterval()
atexit.register(lambda: tell("end"))
asyncio.run(main())
atexit.register(lambda: print((gc.isenabled(), sys.getswitchinterval()) == pace))
"""


def told(act: str, url: str = "") -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(act=act, url=url)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.splitlines()


def test_a_run_waits_for_the_engine_and_the_rest_is_loaded_behind_it() -> None:
    begun, *rest = told("await loading.engine(); tell('begun')")

    assert begun.startswith("begun True")
    assert rest == ["True", "end True True False False"]


def test_what_no_run_comes_of_is_not_loaded_to_the_end() -> None:
    assert told("loading.give_up()") == ["True", "end True False False False"]


def test_a_run_on_postgresql_loads_its_driver() -> None:
    begun, *_ = told("await loading.engine(); tell('begun')", "postgresql://localhost/treadle")

    assert begun.split()[::3] == ["begun", "True"]
