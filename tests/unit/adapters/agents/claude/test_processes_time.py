"""The work that a session's processes do can be read while they live."""

import os
import subprocess
from uuid import uuid4

from treadle.adapters.processes.marked_processes import processor_s

# Computes for a while that any accounting notices, then says so and waits to be ended.
BUSY = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; echo done; read forever"


def test_processes_of_a_session_are_asked_for_and_no_others() -> None:
    session = str(uuid4())
    busy = subprocess.Popen(
        ["/bin/sh", "-c", BUSY],
        env={"PATH": os.defpath, "TREADLE_SESSION": session},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with busy:
        assert busy.stdout is not None
        assert busy.stdout.readline() == b"done\n"
        used, unknown = processor_s(session), processor_s(str(uuid4()))
        busy.kill()

    assert used is not None
    assert used > 0
    assert unknown == 0
    assert processor_s(session) == 0
