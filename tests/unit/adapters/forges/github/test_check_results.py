"""The failed step's part of a job's log."""

from datetime import datetime

import pytest

from treadle.adapters.forges.github.check_results import JobStep, step_log
from treadle.domain.forge import CheckLog


def moment(text: str) -> datetime:
    return datetime.fromisoformat(f"2026-05-04T{text}Z")


STEP = JobStep("Test", moment("12:00:06"), moment("12:00:09"))
LOG = """\ufeff2026-05-04T12:00:01.1Z Set up
2026-05-04T12:00:06.0000000Z ##[group]Run make test
2026-05-04T12:00:08.9Z assert 1 == 2
  with a second line
2026-05-04T12:00:09.9Z ##[error]Process completed with exit code 1.
2026-05-04T12:00:10.0Z Cleaning up
"""
PART = """##[group]Run make test
assert 1 == 2
  with a second line
##[error]Process completed with exit code 1."""
WHOLE = f"Set up\n{PART}\nCleaning up"


@pytest.mark.parametrize(
    ("log", "step", "read"),
    [
        (LOG, STEP, CheckLog(PART, "Test")),
        (LOG, JobStep("Test", moment("12:00:10"), None), CheckLog("Cleaning up", "Test")),
        (LOG, JobStep("Test", moment("13:00:00"), None), CheckLog(WHOLE, "Test")),
        (LOG, None, CheckLog(WHOLE)),
        ("no times\nat all", STEP, CheckLog("no times\nat all", "Test")),
        ("", STEP, CheckLog("", "Test")),
    ],
)
def test_the_lines_of_the_step_are_read_or_else_all(
    log: str, step: JobStep | None, read: CheckLog
) -> None:
    assert step_log(log, step) == read
