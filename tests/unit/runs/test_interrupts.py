"""The first signal asks, and none is lost, whenever it comes."""

import asyncio
import os
import signal
import subprocess
import sys

from treadle.runs.interrupts import graceful_interrupts

TOO_LATE = """
import asyncio, os, signal
from treadle.runs.interrupts import graceful_interrupts

async def work():
    with graceful_interrupts(lambda name: print("asked", name), lambda: None):
        os.kill(os.getpid(), signal.SIGTERM)  # and the loop has no turn before the block ends
    print("went on")
    await asyncio.sleep(30)

asyncio.run(work())
"""


async def test_the_first_signal_asks_and_the_handlers_of_before_are_back_afterwards() -> None:
    heard: list[str] = []
    asked = asyncio.Event()

    def first(name: str) -> None:
        heard.append(name)
        asked.set()

    before = signal.getsignal(signal.SIGTERM)
    with graceful_interrupts(first, lambda: heard.append("second")):
        os.kill(os.getpid(), signal.SIGTERM)
        await asked.wait()

    assert heard == ["SIGTERM"]
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_signal_that_comes_too_late_to_be_heard_ends_the_process() -> None:
    done = subprocess.run(
        [sys.executable, "-c", TOO_LATE], capture_output=True, text=True, check=False, timeout=20
    )

    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGTERM, "", "")
