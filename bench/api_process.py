"""The scripted API in a process of its own, so that its work counts for neither side.

Run as `python -m bench.api_process SCRIPT`. It says where it listens, waits for a line, and
answers with what it has seen.
"""

import json
import sys
from pathlib import Path

from treadle.rehearsal.api import ScriptedApi
from treadle.rehearsal.script import load_script


def main() -> None:
    with ScriptedApi(load_script(Path(sys.argv[1]))) as api:
        print(api.base_url, flush=True)
        if sys.stdin.readline():
            seen = [[request.session, request.arrived_s] for request in api.requests]
            print(json.dumps({"requests": seen, "problems": api.problems()}), flush=True)


if __name__ == "__main__":
    main()
