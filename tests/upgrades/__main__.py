"""`python -m tests.upgrades COMMIT`: store runs as that commit leaves them, for the tests."""

import os
import shutil
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.acceptance.harness import (
    BUILD_IT,
    ONE_DELIVERABLE,
    TWO_DELIVERABLES,
    CommandHarness,
    Running,
    script,
)
from tests.acceptance.verified_project import with_files
from tests.crash_matrix.scenarios import BUILD_THE_SECOND, OPTIONAL
from tests.upgrades.earlier_version import install_earlier
from tests.upgrades.stored_runs import ARCHIVE, MADE_AT, pack

IN_A_TOOL = BUILD_IT.replace(
    "    turns:\n",
    "    turns:\n      - {tool: Bash, input: {command: python3 wait.py}}\n",
)


def main(commit: str) -> None:
    shutil.rmtree(MADE_AT, ignore_errors=True)
    with TemporaryDirectory(prefix="treadle-earlier-") as folder:
        earlier = install_earlier(commit, Path(folder))

        def project(name: str) -> CommandHarness:
            harness = CommandHarness(MADE_AT / name)
            harness.root, harness.command = MADE_AT / "root", earlier.command
            return harness

        done = project("done").deliver(script(ONE_DELIVERABLE, BUILD_IT))
        second = BUILD_THE_SECOND.replace("  - role", OPTIONAL)
        limited = project("limited").deliver(script(TWO_DELIVERABLES, BUILD_IT, second), "-n", "2")
        harness = project("cut")
        with_files(harness, wait__py="import time\n\ntime.sleep(5)\n")
        cut = harness.start(script(ONE_DELIVERABLE, IN_A_TOOL))
        cut.until("tool.decided", name="Bash")
        _kill(cut)
    assert (done.exit_code, limited.exit_code) == (0, 5), done.stderr + limited.stderr
    (MADE_AT / "commit").write_text(f"{commit}\n")
    pack(MADE_AT, os.uname().nodename)
    shutil.rmtree(MADE_AT)
    sys.stdout.write(f"{ARCHIVE}: {ARCHIVE.stat().st_size} bytes\n")


def _kill(running: Running) -> None:
    running.process.send_signal(signal.SIGKILL)
    running.finish()


if __name__ == "__main__":
    main(sys.argv[1])
