"""The scripted API in a process of its own, so that its work counts for neither side.

Run as `python -m bench.api_process SCRIPT`. It says where it listens, reads the id of the process
to watch, waits for the next line, and answers with all that it has seen.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from bench.stage import REQUESTS
from treadle.rehearsal.api import ScriptedApi
from treadle.rehearsal.script import load_script


async def main() -> None:
    async with ScriptedApi(load_script(Path(sys.argv[1]))) as api:
        print(api.base_url, flush=True)
        process_id = int(await asyncio.to_thread(sys.stdin.readline))
        used: list[tuple[float, float]] = []
        watching = asyncio.ensure_future(watch(api, process_id, used))
        await asyncio.to_thread(sys.stdin.readline)
        watching.cancel()
        requests = [[request.session, request.arrived_s] for request in api.requests]
        print(json.dumps({"requests": requests, "used": used, "problems": api.problems()}))


async def watch(api: ScriptedApi, process_id: int, used: list[tuple[float, float]]) -> None:
    """Note what the job has used whenever a session makes its first request.

    That is always the same moment of a session, so from one to the next is one session exactly.
    """
    while True:
        await api.requested(len(used) * REQUESTS + 1)
        used.append(processor_time(process_id))


def processor_time(process_id: int) -> tuple[float, float]:
    """Seconds of the process itself, and of all its descendants that have been waited for."""
    stat = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    own, own_in_kernel, theirs, theirs_in_kernel = (int(ticks) for ticks in stat[11:15])
    per_s = os.sysconf("SC_CLK_TCK")
    return (own + own_in_kernel) / per_s, (theirs + theirs_in_kernel) / per_s


if __name__ == "__main__":
    asyncio.run(main())
