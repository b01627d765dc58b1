"""`treadle deliver` against a model in another process; reports its peak memory at the end.

Run as `python -m bench.deliver_process URL SCRIPT REPORT deliver …`. `treadle rehearse` does the
same with the model inside its own process, which would count here.
"""

import sys
from pathlib import Path

from treadle.cli.context import CommandContext
from treadle.cli.main import run_command
from treadle.domain.agent_kind import ScriptedModel
from treadle.settings.environment import parse_environment, process_environment
from treadle.wiring.agent import Rehearsing


def main() -> None:
    base_url, script, report, *arguments = sys.argv[1:]
    rehearsing = Rehearsing(ScriptedModel(base_url, "api_key"), Path(script))
    given = CommandContext(parse_environment(process_environment()), Path.cwd(), rehearsing)
    code = run_command(arguments, given)
    Path(report).write_text(str(peak_mb()))
    sys.exit(code)


def peak_mb() -> float:
    """The most memory this process had; not `ru_maxrss`, which remembers who started it."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024 / 1e6


if __name__ == "__main__":
    main()
