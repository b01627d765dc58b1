"""A process of its own that runs or serves a workflow and prints each step that it begins.

Every step named in `hold` waits for a line on stdin, so that a test can kill the process in it.
"""

import asyncio
import json
import sys

from treadle.durable.open import open_engine
from treadle.durable.port import Json, Steps

STEPS = ("one", "two", "three")


async def main(location: str, executor: str, queue: str, workflow_id: str, hold: str) -> None:
    finished = asyncio.Event()

    async def run_three(steps: Steps, argument: Json) -> Json:
        results: list[Json] = [argument]
        for name in STEPS:

            async def act(name: str = name) -> str:
                say("begun", name)
                if name in hold.split(","):
                    await asyncio.to_thread(sys.stdin.readline)
                return f"{name} by {executor}"

            results.append(await steps.step(name, act, returns=str))
        say("finished", results)
        finished.set()
        return results

    async with open_engine(
        location,
        executor=executor,
        queue=queue,
        workflows={"three": run_three},
        poll_s=0.05,
    ) as engine:
        say("open", executor)
        if workflow_id:
            say("result", await engine.run(workflow_id, "three", workflow_id))
        else:
            await finished.wait()


def say(what: str, about: Json) -> None:
    sys.stdout.write(json.dumps([what, about]) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
