"""Decides whether to rerun the tests, and merges two runs on the same tree. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from treadle.domain.check import CheckTiming, Evidence
from treadle.domain.suite_report import (
    TEST_COMMAND,
    CaseOutcome,
    CaseResult,
    MalformedReport,
    SuiteReport,
)
from treadle.verify.suites.suite_comparison import SuiteRun, breaks_as_before

# Which of two outcomes counts. Before the work it is the worse one, because the work need not do
# better. On the work it is the better one, because the test has passed once.
_WORSE_FIRST: Sequence[CaseOutcome] = ("skipped", "failed", "passed")
_BETTER_FIRST: Sequence[CaseOutcome] = ("passed", "failed", "skipped")


def is_broken(evidence: Evidence, report: SuiteReport | MalformedReport) -> bool:
    """Whether the command failed and no reported test explains it."""
    if evidence.exit_code in (0, None) or isinstance(report, MalformedReport):
        return False
    return all(case.outcome != "failed" for case in report.cases)


def needs_rerun(first: SuiteRun, before: SuiteRun | None) -> bool:
    """Whether something is newly red or in doubt; a timeout or a malformed report is not rerun, nor
    a baseline that says nothing: it is looked at again later."""
    if first.is_timed_out or isinstance(first.report, MalformedReport):
        return False
    if before is None and first.unknown:
        return False
    if first.is_broken and not (before and breaks_as_before(before, first)):
        return True
    if before and not before.doubted.isdisjoint(_by_id(first.report)):
        return True
    known = _failed_ids(before.report) | before.flaky if before else frozenset()
    return bool(_failed_ids(first.report) - known)


def merge_runs(first: SuiteRun, second: SuiteRun, when: CheckTiming) -> SuiteRun:
    """Merge two runs on one tree; tests with different outcomes are flaky."""
    if (
        second.is_timed_out
        or isinstance(first.report, MalformedReport)
        or isinstance(second.report, MalformedReport)
    ):
        return first
    one, two = _by_id(first.report), _by_id(second.report)
    if one and not two:
        return first  # the second run crashed, which says nothing about the tests
    flaky = {test for test in one.keys() & two.keys() if one[test].outcome != two[test].outcome}
    if when == "before":
        # A test that is not always reported must not count as removed later.
        flaky |= one.keys() ^ two.keys()
    if first.is_broken != second.is_broken and _either_is_green(first, second):
        flaky.add(TEST_COMMAND)
    chosen = second if when != "before" and second.evidence.is_green else first
    return replace(
        chosen,
        report=SuiteReport(
            _merge_cases(one, two, when), _merge_coverage(first.report, second.report, when)
        ),
        flaky=frozenset(flaky),
        is_broken=(first.is_broken or second.is_broken) and not _either_is_green(first, second),
    )


def _merge_cases(
    one: Mapping[str, CaseResult], two: Mapping[str, CaseResult], when: CheckTiming
) -> tuple[CaseResult, ...]:
    order = _WORSE_FIRST if when == "before" else _BETTER_FIRST
    shared = tuple(
        min(case, two[test], key=lambda each: order.index(each.outcome))
        for test, case in one.items()
        if test in two
    )
    if when == "before":
        return shared
    unpaired = (
        case for case in (*one.values(), *two.values()) if (case.id in one) != (case.id in two)
    )
    return (*shared, *unpaired)


def _merge_coverage(one: SuiteReport, two: SuiteReport, when: CheckTiming) -> float | None:
    percentages = [report.coverage for report in (one, two) if report.coverage is not None]
    if not percentages:
        return None
    return min(percentages) if when == "before" else max(percentages)


def _either_is_green(first: SuiteRun, second: SuiteRun) -> bool:
    return first.evidence.is_green or second.evidence.is_green


def _by_id(report: SuiteReport) -> dict[str, CaseResult]:
    return {case.id: case for case in report.cases}


def _failed_ids(report: SuiteReport | MalformedReport) -> frozenset[str]:
    if isinstance(report, MalformedReport):
        return frozenset()
    return frozenset(case.id for case in report.cases if case.outcome == "failed")
