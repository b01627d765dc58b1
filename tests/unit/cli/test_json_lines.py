"""A reader that does not read cannot keep the process from ending."""

import subprocess
import sys

WRITES_AND_ENDS = """
import select
import sys
from datetime import UTC, datetime
from treadle.cli.json_lines import JsonLines
from treadle.cli.streams import flush_all
from treadle.domain.events.agent import AgentSpoke
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.ids import RunId

lines = JsonLines(sys.stdout)
for number in range(1, 4):
    event = AgentSpoke("x" * 300_000)
    lines.write_event(RecordedEvent(RunId("run"), number, datetime(2026, 1, 1, tzinfo=UTC), event))
while select.select([], [sys.stdout], [], 0)[1]:
    pass  # until the pipe is full, and whoever writes to it waits
assert lines.busy
flush_all()
sys.exit(3)
"""


def test_the_process_ends_with_its_own_exit_code_while_nobody_reads() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITES_AND_ENDS],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={},
    )
    with process:
        assert process.wait(timeout=60) == 3
