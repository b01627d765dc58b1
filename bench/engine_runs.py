"""Workflows in a process of their own: a process has one engine and keeps its memory.

`python -m bench.engine_runs KIND LOCATION COUNT` prints what it took as JSON.
"""

import asyncio
import json
import sqlite3
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

from treadle.durable.open import open_engine
from treadle.durable.port import SHARED_QUEUE, Json, Steps

EXECUTOR = "bench"
STEPS = 3


async def nothing() -> int:
    return 1


async def run_steps(steps: Steps, argument: Json) -> Json:
    for number in range(int(str(argument))):
        await steps.step(f"step {number}", nothing, returns=int)
    return None


async def steps_s(location: str, count: int) -> dict[str, float]:
    """So many steps of one workflow, against the same calls without the engine."""
    async with open_engine(
        location, executor=EXECUTOR, queue="bench", workflows={"s": run_steps}
    ) as engine:
        await engine.run("warm", "s", 5)
        began = time.perf_counter()
        await engine.run("steps", "s", count)
        took = time.perf_counter() - began
    return {"seconds": took, "insert_seconds": inserts_s(location, count), "count": count}


def inserts_s(location: str, count: int) -> float:
    """The least that storing so many results can take: one durable row each."""
    with closing(sqlite3.connect(f"{location.removeprefix('sqlite:///')}.plain")) as plain:
        plain.isolation_level = None
        plain.execute("PRAGMA journal_mode=WAL")
        plain.execute("PRAGMA synchronous=FULL")
        plain.execute("CREATE TABLE results (name TEXT, result TEXT)")
        began = time.perf_counter()
        for number in range(count):
            plain.execute("INSERT INTO results VALUES (?, ?)", (f"step {number}", "1"))
        return time.perf_counter() - began


async def queue_s(location: str, count: int) -> dict[str, float]:
    """So many workflows of three steps from the queue, against running them one after the other."""
    from treadle.durable.client import enqueue

    done = asyncio.Semaphore(0)

    async def workflow(steps: Steps, argument: Json) -> Json:
        await run_steps(steps, argument)
        done.release()
        return None

    for number in range(count):
        enqueue(location, f"queued {number}", "s", STEPS)
    async with open_engine(
        location, executor=EXECUTOR, queue=SHARED_QUEUE, workflows={"s": workflow}
    ) as engine:
        began = time.perf_counter()
        for _ in range(count):
            await done.acquire()
        queued = time.perf_counter() - began
        began = time.perf_counter()
        for number in range(count):
            await engine.run(f"run_steps {number}", "s", STEPS)
        return {"seconds": queued, "loop_seconds": time.perf_counter() - began, "count": count}


async def parked_mb(location: str, count: int) -> dict[str, float]:
    """What so many workflows cost that wait for a moment far away."""
    waiting, never = asyncio.Semaphore(0), asyncio.Event()

    async def workflow(steps: Steps, argument: Json) -> Json:
        await run_steps(steps, argument)
        waiting.release()
        await never.wait()
        return None

    async with open_engine(
        location, executor=EXECUTOR, queue="bench", workflows={"s": workflow}
    ) as engine:
        before = resident_mb()
        running = [asyncio.create_task(engine.run(f"p {n}", "s", 1)) for n in range(count)]
        for _ in range(count):
            await waiting.acquire()
        after = resident_mb()
        for task in running:
            task.cancel()
        await asyncio.wait(running)
        return {"before_mb": before, "after_mb": after, "count": count}


def resident_mb() -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024 / 1e6


KINDS: dict[str, Callable[[str, int], Awaitable[dict[str, float]]]] = {
    "steps": steps_s,
    "queue": queue_s,
    "parked": parked_mb,
}


async def main() -> None:
    kind, location, count = sys.argv[1:]
    print(json.dumps(await KINDS[kind](location, int(count))))


if __name__ == "__main__":
    asyncio.run(main())
