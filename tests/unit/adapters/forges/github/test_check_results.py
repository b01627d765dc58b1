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


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r", "\f", "\x85", "\u2028"])
@pytest.mark.parametrize("time", ["2026-99-99T99:99:99Z", "0000-00-00T00:00:00Z"])
def test_what_a_program_prints_as_a_time_ends_no_reading(line_break: str, time: str) -> None:
    # A session that follows a pull request would end with it, each time that it is resumed.
    log = f"2026-05-04T12:00:06.0Z before{line_break}{time} forged\n2026-05-04T12:00:08.0Z after\n"

    read = step_log(log, STEP)

    assert read.step == "Test"
    assert read.text.startswith("before")
    assert read.text.endswith("forged\nafter")
    assert step_log(log, None).text.endswith("forged\nafter")


@pytest.mark.parametrize("line_break", ["\r", "\f", "\x1c", "\x85", "\u2028"])
def test_what_a_program_prints_as_a_line_takes_no_line_out_of_its_step(line_break: str) -> None:
    log = f"2026-05-04T12:00:06.0Z a{line_break}2020-01-01T00:00:00Z b\n2026-05-04T12:00:06.5Z c\n"

    assert "b" in step_log(log, STEP).text
