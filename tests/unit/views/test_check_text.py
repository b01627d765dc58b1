"""The result of a check as `treadle show` and `treadle verify` say it."""

from dataclasses import replace

import pytest

from tests.unit.cli.sample_verified_runs import CHANGED_TEST, SUM, ran
from treadle.domain.check import Check, Evidence
from treadle.views.check_text import criterion_result
from treadle.views.style import Style

GREEN = ran(SUM.command, "again", 0)
PINNED = replace(SUM, before="failed", pinned="passed")


@pytest.mark.parametrize(
    ("check", "evidence", "text", "mark", "style"),
    [
        (PINNED, GREEN, "2s at 9fceb02d, proven by the specification", "✔", "good"),
        (
            replace(PINNED, origin="person"),
            GREEN,
            "2s at 9fceb02d, proven by your check",
            "✔",
            "good",
        ),
        (
            replace(PINNED, pinned="failed", why=CHANGED_TEST),
            GREEN,
            f"2s at 9fceb02d, self-tested: {CHANGED_TEST}",
            "✔",
            "good",
        ),
        (replace(PINNED, pinned=""), GREEN, "2s at 9fceb02d, self-tested", "✔", "good"),
        (
            replace(SUM, why="it could not be run before the work: it hung"),
            GREEN,
            "2s at 9fceb02d, claimed: it could not be run before the work: it hung",
            "✔",
            "good",
        ),
        (
            replace(SUM, before="passed"),
            GREEN,
            "2s at 9fceb02d, but it passed before the work as well",
            "!",
            "warning",
        ),
    ],
)
def test_a_green_check_says_its_grade_and_who_judges(
    check: Check, evidence: Evidence, text: str, mark: str, style: Style
) -> None:
    assert criterion_result(check, evidence) == (text, mark, style)
