"""The test command is proven only by tests that the agent did not write."""

from dataclasses import replace

import pytest

from tests.unit.verify.suite_runs import cut, illegible, suite
from treadle.domain.pin_plan import MixedFile, PinnedFile, PinPlan
from treadle.domain.suite_report import TEST_COMMAND, SuiteObjection
from treadle.verify.grades.suite_grade import SuiteGrade, grade_suite
from treadle.verify.results.runner_end import RunnerGap
from treadle.verify.suites.suite_comparison import (
    RegressionRules,
    SuiteComparison,
    SuiteRun,
    compare_suite_runs,
)

RULES = RegressionRules("", 0)
A, B, NEW = "tests.test_words::test_a", "tests.test_words::test_b", "tests.test_new::test_c"
GREEN = suite({A: "passed", B: "passed"})
RED = suite({A: "passed", B: "failed"})
WITH_NEW = suite({A: "passed", B: "passed", NEW: "passed"})
NOT_LOADED = suite({"tests.test_words::(load)": "failed"})
UNEXPLAINED = suite(exit_code=101, output="error: cannot compile")
SILENT = suite(exit_code=0)
COUNTED = replace(SILENT, ran=2)
NO_TESTS = replace(suite(exit_code=5, output="no tests ran in 0.01s"), ran=0)
NONE = PinPlan("base")
CHANGED = PinPlan("base", (PinnedFile("tests/test_b.py", "restored", "tests"),))
ADDED = PinPlan("base", (PinnedFile("tests/test_new.py", "left_out", "tests"),))
MERGED = PinPlan("base", (PinnedFile("package.json", "merged", "scripts", b"{}"),))
MIXED = PinPlan("base", mixed=(MixedFile("src/lib.rs"),))
PROVEN = SuiteGrade("proven", "person")


def grade(
    before: SuiteRun, now: SuiteRun, plan: PinPlan = NONE, pinned: SuiteRun | None = None
) -> SuiteGrade:
    compared = None if pinned is None else (pinned, compare_suite_runs(before, pinned, RULES))
    return grade_suite(before, compare_suite_runs(before, now, RULES), now, compared, plan)


@pytest.mark.parametrize(
    ("before", "now", "plan", "pinned"),
    [
        (GREEN, GREEN, NONE, None),
        (RED, GREEN, NONE, None),
        # The agent added tests, and those of the user pass without them.
        (RED, WITH_NEW, ADDED, GREEN),
        (RED, GREEN, CHANGED, GREEN),
        (GREEN, GREEN, MERGED, GREEN),
        # The user's tests did not even load before the work.
        (NOT_LOADED, WITH_NEW, ADDED, GREEN),
        (UNEXPLAINED, GREEN, NONE, None),
        # Red or green is all that the command tells, as a check does.
        (UNEXPLAINED, SILENT, NONE, None),
        (UNEXPLAINED, SILENT, CHANGED, SILENT),
        # It counts the tests and does not name them.
        (COUNTED, COUNTED, CHANGED, COUNTED),
        (UNEXPLAINED, replace(COUNTED, ran=3), ADDED, COUNTED),
        (RED, RED, NONE, None),
        (suite({A: "failed", B: "passed"}), suite({A: "failed", B: "passed"}), CHANGED,
         suite({A: "failed", B: "passed"})),
    ],
)  # fmt: skip
def test_tests_of_the_user_prove(
    before: SuiteRun, now: SuiteRun, plan: PinPlan, pinned: SuiteRun | None
) -> None:
    assert grade(before, now, plan, pinned) == PROVEN


CHANGED_B = "; the agent changed tests/test_b.py"


@pytest.mark.parametrize(
    ("before", "now", "plan", "pinned", "why", "failing"),
    [
        (GREEN, GREEN, CHANGED, RED, f"your tests fail with the work: test_b{CHANGED_B}", (B,)),
        # Red before the work, and green only as the agent rewrote it.
        (RED, GREEN, CHANGED, RED, f"your tests fail with the work: test_b{CHANGED_B}", (B,)),
        (GREEN, GREEN, ADDED, RED,
         "your tests fail with the work: test_b; the agent added tests/test_new.py", (B,)),
        (GREEN, GREEN, MERGED, suite(exit_code=0),
         "your tests fail with the work: it reported 2 tests before the work, and none now"
         "; the agent changed package.json", (TEST_COMMAND,)),
        (UNEXPLAINED, GREEN, CHANGED, UNEXPLAINED,
         "with your tests the test command fails as it did before the work, so it proves nothing",
         ()),
        (GREEN, GREEN, CHANGED, cut(), "with your tests they could not be run: it ran out of time",
         ()),
        (GREEN, GREEN, CHANGED, replace(suite({}, 1), setup_failure="setup failed"),
         "with your tests they could not be run: setup failed", ()),
        (GREEN, GREEN, CHANGED, None, "they were not run with your tests", ()),
        (GREEN, GREEN, MIXED, None, "the agent changed tests inside src/lib.rs", ()),
        (GREEN, GREEN, replace(MIXED, files=CHANGED.files), GREEN,
         "the agent changed tests inside src/lib.rs", ()),
        (NO_TESTS, WITH_NEW, ADDED, NO_TESTS, "only tests that the agent wrote ran", ()),
        (SILENT, WITH_NEW, ADDED, SILENT, "only tests that the agent wrote ran", ()),
    ],
)  # fmt: skip
def test_tests_of_the_agent_do_not(
    before: SuiteRun,
    now: SuiteRun,
    plan: PinPlan,
    pinned: SuiteRun | None,
    why: str,
    failing: tuple[str, ...],
) -> None:
    expected = SuiteGrade("self-tested", "agent", why, failing=failing)

    assert grade(before, now, plan, pinned) == expected


def test_at_most_three_tests_are_named() -> None:
    tests = [f"tests::test_{number}" for number in range(5)]
    before, red = suite(dict.fromkeys(tests, "passed")), suite(dict.fromkeys(tests, "failed"))

    assert grade(before, before, CHANGED, red).why == (
        f"your tests fail with the work: test_0, test_1, test_2 and 2 more{CHANGED_B}"
    )


def test_a_lower_coverage_with_the_tests_of_the_user_is_no_contradiction() -> None:
    pinned = SuiteComparison((SuiteObjection("coverage", "", message="70 %"),))

    assert grade_suite(GREEN, SuiteComparison(), GREEN, (GREEN, pinned), CHANGED) == SuiteGrade(
        "self-tested",
        "agent",
        f"with your tests the coverage is lower: 70 %{CHANGED_B}",
    )


@pytest.mark.parametrize(
    ("before", "now", "why"),
    [
        (SILENT, SILENT, "the command names no tests"),
        (SILENT, COUNTED, "before the work the command names no tests"),
        (SILENT, GREEN, "before the work the command names no tests"),
        (GREEN, replace(GREEN, flaky=frozenset({B})), "flaky since the work: test_b"),
    ],
)
def test_tests_that_say_little_do_not_prove(before: SuiteRun, now: SuiteRun, why: str) -> None:
    assert grade(before, now) == SuiteGrade("self-tested", "person", why)


def test_a_test_that_is_flaky_with_the_tests_of_the_user_does_not_prove() -> None:
    flaky = replace(GREEN, flaky=frozenset({A}))

    assert grade(GREEN, GREEN, CHANGED, flaky) == SuiteGrade(
        "self-tested", "person", "flaky since the work: test_a"
    )
    assert grade(flaky, flaky, CHANGED, flaky) == PROVEN


@pytest.mark.parametrize(
    ("before", "now", "why", "is_empty"),
    [
        (GREEN, RED, "the tests object to the work", False),
        (cut(), GREEN, "the tests could not be run before the work: it ran out of time", False),
        (replace(suite({}, 1), setup_failure="setup failed"), GREEN,
         "the tests could not be run before the work: setup failed", False),
        (replace(suite({}, 1), outside_failure="vitest is not installed"), GREEN,
         "the tests could not be run before the work: vitest is not installed", False),
        (illegible(), GREEN, "the report of the tests before the work cannot be read: junit.xml,"
         " line 3: not XML", False),
        (UNEXPLAINED, UNEXPLAINED,
         "the test command fails as it did before the work, so it proves nothing", False),
        (NO_TESTS, NO_TESTS,
         "the test command fails as it did before the work, so it proves nothing", True),
        (replace(SILENT, ran=0), replace(SILENT, ran=0), "there are no tests", True),
        (SILENT, replace(SILENT, gap=RunnerGap("tests", "go ran no test")), "there are no tests",
         True),
    ],
)  # fmt: skip
def test_a_look_that_says_nothing_leaves_the_work_claimed(
    before: SuiteRun, now: SuiteRun, why: str, is_empty: bool
) -> None:
    assert grade(before, now) == SuiteGrade("claimed", "", why, is_empty=is_empty)


def test_the_command_is_no_test() -> None:
    unexplained = SuiteObjection("broken_run", TEST_COMMAND, message="exit code 3\nmore")
    pinned = suite(exit_code=3), SuiteComparison((unexplained,))

    assert grade_suite(GREEN, SuiteComparison(), GREEN, pinned, CHANGED).why == (
        f"your tests fail with the work: exit code 3{CHANGED_B}"
    )
