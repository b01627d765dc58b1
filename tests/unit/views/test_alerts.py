"""What a person should look at first stands first, worst first, with its numbers."""

from dataclasses import replace

import pytest

from tests.unit.cli.sample_verified_runs import (
    BASELINE,
    BROKEN,
    OPEN,
    SHUT,
    SUITE_GRADED,
    TOUCHED,
    ran,
)
from treadle.domain.events.verification import SuiteFinished
from treadle.domain.events.work import WorkChanged
from treadle.domain.suite_report import CaseCounts, SuiteObjection
from treadle.views.alerts import Alert, alerts_of, changes_text
from treadle.views.log_state import LogState
from treadle.views.verification_state import VerificationState

GREEN = SuiteFinished(ran("npm test", "after", 0), (CaseCounts("unit", 12),), None, ())
DELETED = WorkChanged("c", 80, 3, 12, 62, ("a.py", "b.py", "c.py", "d.py"), 5_200, 10, 4_000)


def texts(verified: VerificationState, changes: WorkChanged | None = None) -> list[str]:
    return [alert.text for alert in alerts_of(LogState(verified=verified, changes=changes))]


def test_all_alerts_of_a_run_stand_in_their_order() -> None:
    weakened = ("1 test made weaker: test_add (3 assertions fewer)",)
    verified = VerificationState(
        touched=TOUCHED.files,
        suite=replace(SHUT, coverage=70.0),
        coverage_before=81.5,
        weakened=weakened,
        suite_grade=SUITE_GRADED,
    )

    assert alerts_of(LogState(verified=verified, changes=DELETED)) == (
        Alert(
            "5 tests failing at the end, 1 of them before the work as well:"
            " test_divide, test_0, test_1 and 2 more",
            "bad",
        ),
        Alert("1 test of yours fails with the work, and the agent changed it: test_power", "bad"),
        Alert("62 of 80 files deleted: a.py, b.py, c.py and 59 more"),
        Alert("1 test file removed: tests/test_old.py"),
        Alert("1 test removed: test_round"),
        Alert("1 test skipped now: test_slow"),
        Alert(weakened[0]),
        Alert("coverage lowered: 81.5 % before the work, 70.0 % now"),
        Alert("mass change: 4,000 of 5,200 lines are gone, 10 are new"),
    )


def test_honest_work_has_no_alerts() -> None:
    green = VerificationState(suite=replace(GREEN, coverage=84.0), coverage_before=84.05)
    changes = WorkChanged("c", 40, added=30, changed=12, lines_added=900, lines_deleted=80)

    assert texts(green, changes) == []
    assert texts(VerificationState()) == []


RED_COMMAND = replace(BROKEN, objections=(), known_red=("the test command",))
MANY_RED = ("test_0", "test_1", "test_2", "test_3", "and 46 more")


@pytest.mark.parametrize(
    ("suite", "text"),
    [
        (OPEN, "1 test failing at the end, as before the work: test_old"),
        (BROKEN, "the test command is failing at the end: exit code 2 after 2s"),
        (
            RED_COMMAND,
            "the test command is failing at the end, as before the work: exit code 2 after 2s",
        ),
        (
            replace(OPEN, counts=(CaseCounts("unit", 1, 50),), known_red=MANY_RED),
            "50 tests failing at the end, as before the work: test_0, test_1, test_2 and 47 more",
        ),
        (
            # A person has accepted the failure, and it still fails.
            replace(OPEN, known_red=(), accepted=(SuiteObjection("new_failure", "test_add"),)),
            "1 test failing at the end: test_add",
        ),
    ],
)
def test_tests_that_are_red_at_the_end_are_named_also_if_they_were_before(
    suite: SuiteFinished, text: str
) -> None:
    assert texts(VerificationState(suite=suite)) == [text]


@pytest.mark.parametrize(
    ("failing", "text"),
    [
        (
            ("test_power",),
            "1 test of yours fails with the work, and the agent changed it: test_power",
        ),
        (
            ("test_a", "test_b", "test_c", "test_d"),
            "4 tests of yours fail with the work, and the agent changed them:"
            " test_a, test_b, test_c and 1 more",
        ),
        (
            MANY_RED,
            "50 tests of yours fail with the work, and the agent changed them:"
            " test_0, test_1, test_2 and 47 more",
        ),
    ],
)
def test_tests_that_pass_only_as_the_agent_changed_them_are_as_bad_as_red_ones(
    failing: tuple[str, ...], text: str
) -> None:
    verified = VerificationState(suite=GREEN, suite_grade=replace(SUITE_GRADED, failing=failing))

    assert alerts_of(LogState(verified=verified)) == (Alert(text, "bad"),)


def test_tests_that_the_agent_only_added_to_are_no_alert() -> None:
    graded = replace(SUITE_GRADED, failing=())

    assert texts(VerificationState(suite=GREEN, suite_grade=graded)) == []


def test_a_coverage_report_that_is_gone_is_an_alert() -> None:
    verified = VerificationState(suite=GREEN, coverage_before=BASELINE.coverage)

    assert texts(verified) == ["coverage lost: 81.5 % before the work, and no report of it now"]


@pytest.mark.parametrize(
    ("changes", "is_mass"),
    [
        (WorkChanged("c", 4, changed=4), False),
        (WorkChanged("c", 18, changed=9), False),
        (WorkChanged("c", 19, changed=10), True),
        (WorkChanged("c", 20, changed=10), False),
        (WorkChanged("c", 9_000, changed=100), False),
        (WorkChanged("c", 9_000, changed=101), True),
        (WorkChanged("c", 9, added=1_000), False),
        (WorkChanged("c", 9_000, added=1_001), True),
    ],
)
def test_changes_of_many_files_or_of_most_are_mass_changes(
    changes: WorkChanged, is_mass: bool
) -> None:
    files = "9,000" if changes.files_before == 9_000 else str(changes.files_before)
    expected = f"mass change of a project of {files} files: {changes_text(changes)}"

    assert texts(VerificationState(), changes) == ([expected] if is_mass else [])


def test_changes_are_told_in_numbers() -> None:
    assert changes_text(DELETED) == "3 added, 12 changed, 62 deleted (+10 −4,000 lines)"
    assert changes_text(WorkChanged("c", 4)) == "none"
