"""A green run of the tests says nothing without its end, without tests, or with fewer of them."""

from dataclasses import replace

import pytest

from tests.unit.verify.suite_runs import cut, suite
from treadle.domain.suite_report import TEST_COMMAND, SuiteObjection
from treadle.verify.results.runner_end import RunnerGap
from treadle.verify.suites.suite_comparison import (
    RegressionRules,
    SuiteComparison,
    SuiteRun,
    compare_suite_runs,
)

RULES = RegressionRules(plan="", coverage=80)
GREEN = suite({"cart::test_adds": "passed", "cart::test_pays": "passed"})
ONE_RED = suite({"cart::test_adds": "passed", "cart::test_pays": "failed"})


def broken(message: str) -> SuiteObjection:
    return SuiteObjection("broken_run", TEST_COMMAND, message=message)


NO_END = RunnerGap("end", "pytest did not report its end")
NO_TEST = RunnerGap("tests", "go ran no test")
SILENT = suite(exit_code=0)


@pytest.mark.parametrize(
    ("before", "now", "judged"),
    [
        (SILENT, replace(SILENT, gap=NO_END), SuiteComparison((broken(NO_END.text),))),
        (suite(exit_code=1), replace(SILENT, gap=NO_END), SuiteComparison((broken(NO_END.text),))),
        (replace(SILENT, gap=NO_TEST), replace(SILENT, gap=NO_END),
         SuiteComparison((broken(NO_END.text),))),
        # By its settings the runner prints no summary.
        (replace(SILENT, gap=NO_END), replace(SILENT, gap=NO_END), SuiteComparison()),
        (replace(SILENT, ran=3), replace(SILENT, gap=NO_TEST),
         SuiteComparison((broken(NO_TEST.text),))),
        (GREEN, replace(SILENT, gap=NO_TEST),
         SuiteComparison((broken("it reported 2 tests before the work, and none now"),))),
        # There are no tests yet.
        (SILENT, replace(SILENT, gap=NO_TEST), SuiteComparison()),
        (suite(exit_code=101), replace(SILENT, gap=NO_TEST), SuiteComparison()),
    ],
)  # fmt: skip
def test_a_green_run_has_to_end_and_to_run_tests(
    before: SuiteRun, now: SuiteRun, judged: SuiteComparison
) -> None:
    assert compare_suite_runs(before, now, RULES) == judged


@pytest.mark.parametrize(
    ("before", "now", "plan", "passes"),
    [
        (3, 3, "", True),
        (3, 4, "", True),
        (None, 2, "", True),
        (3, None, "", True),
        (3, 2, "", False),
        (3, 2, "It adds words. test_old is removed.", True),
    ],
)
def test_as_many_tests_run_as_before_where_they_have_no_names(
    before: int | None, now: int | None, plan: str, passes: bool
) -> None:
    rules = RegressionRules(plan, coverage=80)
    judged = compare_suite_runs(replace(SILENT, ran=before), replace(SILENT, ran=now), rules)

    message = "it ran 3 tests before the work, and runs 2 now"
    assert judged == SuiteComparison(() if passes else (broken(message),))


def test_tests_that_have_names_are_not_counted() -> None:
    judged = compare_suite_runs(replace(GREEN, ran=9), replace(GREEN, ran=2), RULES)

    assert judged == SuiteComparison()


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (GREEN, ""),
        (ONE_RED, ""),
        (suite(exit_code=1), ""),
        (cut(), "it ran out of time"),
        (replace(suite(exit_code=1), setup_failure="setup failed"), "setup failed"),
        (replace(suite(exit_code=1), outside_failure="the network failed"), "the network failed"),
        # What the project lacks is no reason.
        (replace(suite(exit_code=127), start_failure="./run.sh was not found"), ""),
        (replace(GREEN, setup_failure="setup failed"), ""),
    ],
)
def test_a_red_run_that_says_nothing_is_unknown(run: SuiteRun, reason: str) -> None:
    assert run.unknown == reason
