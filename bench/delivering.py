"""`treadle deliver` against a model in another process; at its end it tells what it took itself.

Run as `python -m bench.delivering URL REPORT deliver …`. `treadle rehearse` does the same with the
model inside its own process, which would count here.
"""

import json
import sys
import time
from pathlib import Path

from treadle.cli.context import Given
from treadle.cli.main import run_given
from treadle.settings.environment import environment_from, given_environment


def main() -> None:
    base_url, report, *arguments = sys.argv[1:]
    from treadle.wiring.agent import Rehearsing, dummy_credential

    given = Given(
        environment_from(given_environment()),
        Path.cwd(),
        Rehearsing(base_url, dummy_credential("api_key")),
    )
    code = run_given(arguments, given)
    Path(report).write_text(json.dumps({"peak_mb": _peak_mb(), "own_cpu_s": time.process_time()}))
    sys.exit(code)


def _peak_mb() -> float:
    """The most memory this process had; the kernel's own figure, without the one it came from."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1000
    raise RuntimeError("this kernel does not say how much memory a process had")


if __name__ == "__main__":
    main()
