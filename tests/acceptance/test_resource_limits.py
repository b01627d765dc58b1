"""A program of the agent that uses too much memory is killed, and the run says why."""

import json
from pathlib import Path

from tests.acceptance.harness import BUILD_IT, ONE_DELIVERABLE, CommandHarness, script
from tests.missing import missing
from treadle.adapters.sandboxes.cgroup_files import RECORDS_FOLDER, find_group_source

# More than the sandbox may have, in a form that no limit of a single process counts.
EAT = """
import mmap
kept = mmap.mmap(-1, 2 << 30)
for at in range(0, 2 << 30, 4096): kept[at] = 1
"""
EATS_MEMORY = f"""
  - role: implementer
    turns:
      - tool: Write
        input: {{file_path: eat.py, content: {json.dumps(EAT)}}}
      - tool: Bash
        input: {{command: python3 eat.py}}
"""


def test_a_killed_program_of_a_session_is_told_with_the_setting_and_the_session_goes_on(
    harness: CommandHarness, tmp_path: Path
) -> None:
    groups = find_group_source(tmp_path, systemd_run=None, runtime=None)
    if groups is None or "memory" not in groups.controllers:
        missing("control groups that this user can make")
    turns = BUILD_IT.partition("    turns:\n")[2]

    finished = harness.deliver(
        script(ONE_DELIVERABLE, EATS_MEMORY + turns), settings={"sandbox.memory_mb": "1200"}
    )

    assert (finished.exit_code, finished.result["reason"]) == (0, "all_passed")
    told = [event["message"] for event in finished.of_type("run.warned")]
    assert any(
        line.startswith("the kernel ended ") and "1200 MB of memory together" in line
        for line in told
    ), told
    assert list((harness.root / RECORDS_FOLDER).iterdir()) == []
