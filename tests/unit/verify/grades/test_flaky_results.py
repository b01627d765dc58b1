"""A check or a test that ended in two ways on one tree of the work is flaky."""

from dataclasses import replace

import pytest

from tests.unit.verify.suite_runs import evidence
from treadle.domain.check import CheckTiming, Evidence
from treadle.domain.events.verification import CheckFinished, SuiteFinished
from treadle.domain.suite_report import (
    TEST_COMMAND,
    CaseOutcome,
    CaseResult,
    SuiteObjection,
    SuiteReport,
)
from treadle.verify.grades.flaky_results import (
    earlier_flaky_tests,
    flaky_commit,
    flaky_failure,
    untried_failure,
    with_earlier_failures,
)
from treadle.verify.suites.suite_comparison import SuiteRun

COMMAND = "make one"


def ran(
    exit_code: int | None,
    commit: str = "a1",
    when: CheckTiming = "after",
    *,
    tree: str = "",
    output: str = "",
    command: str = COMMAND,
) -> CheckFinished:
    found = Evidence(command, when, commit, tree or f"tree of {commit}", exit_code, 1.0, "f", "l")
    return CheckFinished("DL-1", "It greets", found, output)


@pytest.mark.parametrize(
    ("results", "commit", "untried"),
    [
        ([], "", ""),
        ([ran(0)], "", ""),
        # It failed and was mended: whether that is so, a second look at the failure tells.
        ([ran(1), ran(0, "b2")], "", "a1"),
        ([ran(1), ran(0, "b2"), ran(1, when="bisect")], "", ""),
        ([ran(1), ran(0, "b2"), ran(0, when="bisect")], "a1", ""),
        ([ran(1), ran(0)], "a1", ""),
        # Another commit of the same tree is the same work.
        ([ran(1), ran(0, "b2", tree="tree of a1")], "a1", ""),
        ([ran(1), ran(1, "b2"), ran(0, "c3")], "", "b2"),
        # The pinned tree, the tree before the work and other checks say nothing about it.
        ([ran(1, when="before"), ran(0)], "", ""),
        ([ran(1, when="pinned"), ran(0)], "", ""),
        ([ran(1, command="make two"), ran(0)], "", ""),
        # What failed from outside is no failure of the work.
        ([ran(None), ran(0)], "", ""),
        ([ran(137), ran(0)], "", ""),
        ([ran(1, output="ConnectionError: Temporary failure in name resolution"), ran(0)], "", ""),
    ],
)
def test_a_check_that_failed_and_passed_on_one_tree_is_flaky(
    results: list[CheckFinished], commit: str, untried: str
) -> None:
    assert (flaky_commit(results, COMMAND), untried_failure(results, COMMAND)) == (commit, untried)


def test_the_reason_names_the_commit() -> None:
    assert flaky_failure("0123456789") == ("flaky: it failed on 01234567, and passed there as well")


def suite(
    *tests: str, found: Evidence, flaky: tuple[str, ...] = (), exit_code: int | None = 1
) -> SuiteFinished:
    objections = tuple(SuiteObjection("new_failure", test) for test in tests)
    return SuiteFinished(replace(found, exit_code=exit_code), (), None, objections, flaky=flaky)


def run_of(found: Evidence, outcome: CaseOutcome = "passed") -> SuiteRun:
    return SuiteRun(found, SuiteReport((CaseResult("a::b", "unit", outcome),)))


GREEN = evidence(0)
OTHER = replace(GREEN, tree="another")


@pytest.mark.parametrize(
    ("finished", "now", "flaky"),
    [
        (suite("a::b", found=GREEN), run_of(GREEN), {"a::b"}),
        (suite("a::b", found=OTHER), run_of(GREEN), set()),
        (suite("a::b", found=replace(GREEN, judges_of="base")), run_of(GREEN), set()),
        (suite("a::b", found=GREEN), run_of(GREEN, "failed"), set()),
        (suite("a::c", found=GREEN), run_of(GREEN), set()),
        (suite(TEST_COMMAND, found=GREEN), run_of(GREEN), {TEST_COMMAND}),
        (suite(TEST_COMMAND, found=GREEN, exit_code=None), run_of(GREEN), set()),
    ],
)
def test_a_test_that_failed_on_the_same_tree_before_is_flaky(
    finished: SuiteFinished, now: SuiteRun, flaky: set[str]
) -> None:
    assert with_earlier_failures(now, [finished]) == replace(now, flaky=frozenset(flaky))


def test_tests_that_were_flaky_on_earlier_work_are_known() -> None:
    finished = [suite(found=GREEN, flaky=("a::b", "a::old")), suite(found=OTHER, flaky=("a::c",))]

    assert earlier_flaky_tests(finished, frozenset({"a::old"})) == {"a::b", "a::c"}
