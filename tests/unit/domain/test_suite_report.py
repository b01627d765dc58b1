"""What a person accepts who accepts an objection of the tests."""

import pytest

from treadle.domain.suite_report import SuiteObjection

FAILS = SuiteObjection("new_failure", "test_pays", "cart.py", 7, "assert 1 == 2")
LOW = SuiteObjection("coverage", "", message="61.0 % is below 80 %")
ENDED = "it ended with exit code 1, and no test explains why"
BROKEN = SuiteObjection("broken_run", "the test command", message=f"{ENDED}\nRan in 1.2 s")


@pytest.mark.parametrize(
    ("seen", "now", "accepted"),
    [
        (FAILS, SuiteObjection("new_failure", "test_pays", "cart.py", 9, "assert 1 == 3"), True),
        (FAILS, SuiteObjection("new_failure", "test_adds"), False),
        (FAILS, SuiteObjection("removed", "test_pays"), False),
        (FAILS, SuiteObjection("newly_skipped", "test_pays"), False),
        (LOW, SuiteObjection("coverage", "", message="61.0 % is below 80 %"), True),
        (LOW, SuiteObjection("coverage", "", message="12.0 % is below 80 %"), False),
        (BROKEN, SuiteObjection("broken_run", "the test command", message=f"{ENDED}\n1.3 s"), True),
        (
            BROKEN,
            SuiteObjection("broken_run", "the test command", message="it tells of none"),
            False,
        ),
    ],
)
def test_only_what_they_have_seen_is_accepted(
    seen: SuiteObjection, now: SuiteObjection, accepted: bool
) -> None:
    assert (now.accepted_as == seen.accepted_as) is accepted
