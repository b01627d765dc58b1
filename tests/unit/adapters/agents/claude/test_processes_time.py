"""The work that a session's agent does can be read while it lives; what it started does not
count."""

import os
import subprocess
from uuid import uuid4

from treadle.adapters.processes.marked_processes import processor_s

# Computes for a while that any accounting notices.
COMPUTE = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; echo done"
BUSY = f"{COMPUTE}; read forever"
# The same in a child, while the first process only waits.
BUSY_CHILD = f"exec 3<&0; ({COMPUTE}; read forever <&3) & wait"


def test_processes_of_a_session_are_asked_for_and_no_others() -> None:
    session = str(uuid4())
    with _start(BUSY, session) as busy:
        assert busy.stdout is not None
        assert busy.stdout.readline() == b"done\n"
        used, unknown = processor_s(session), processor_s(str(uuid4()))
        busy.kill()

    assert used is not None
    assert used > 0
    assert unknown == 0
    assert processor_s(session) == 0


def test_a_busy_program_in_the_background_is_no_work_of_the_agent() -> None:
    session = str(uuid4())
    with _start(BUSY_CHILD, session) as waiting:
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == b"done\n"
        used = processor_s(session)
        waiting.kill()

    assert used is not None
    assert used < 0.05


def _start(script: str, session: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["/bin/sh", "-c", script],
        env={"PATH": os.defpath, "TREADLE_SESSION": session},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
