"""Two runs of the test command on one tree, read as one. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from treadle.domain.check import Evidence, When
from treadle.domain.testing import Case, CaseOutcome, Malformed, SuiteReport
from treadle.verify.gate import TEST_COMMAND, SuiteRun, breaks_as_before

# Which of two outcomes counts. Before the work the worse one: nothing better can be asked of the
# work. Of the work the better one: it has shown that it can.
_WORSE_FIRST: Sequence[CaseOutcome] = ("skipped", "failed", "passed")
_BETTER_FIRST: Sequence[CaseOutcome] = ("passed", "failed", "skipped")


def is_broken(evidence: Evidence, report: SuiteReport | Malformed) -> bool:
    """The command failed, and no test that it told of says why."""
    if evidence.exit_code in (0, None) or isinstance(report, Malformed):
        return False
    return all(case.outcome != "failed" for case in report.cases)


def worth_a_second_run(first: SuiteRun, before: SuiteRun | None) -> bool:
    """Whether something is red that was not before; what was cut or is illegible stays so."""
    if first.is_cut or isinstance(first.report, Malformed):
        return False
    if first.is_broken and not (before and breaks_as_before(before, first)):
        return True
    known = _red(before.report) | before.flaky if before else frozenset()
    return bool(_red(first.report) - known)


def merged(first: SuiteRun, second: SuiteRun, when: When) -> SuiteRun:
    """What two runs of one tree say together, and which tests they disagree about."""
    if second.is_cut or isinstance(first.report, Malformed) or isinstance(second.report, Malformed):
        return first
    one, two = _by_id(first.report), _by_id(second.report)
    if one and not two:
        return first  # it fell over; that says nothing about the tests
    flaky = {test for test in one.keys() & two.keys() if one[test].outcome != two[test].outcome}
    if when == "before":
        # What is not always there cannot be missed later.
        flaky |= one.keys() ^ two.keys()
    if first.is_broken != second.is_broken and _either_is_green(first, second):
        flaky.add(TEST_COMMAND)
    shows = second if when != "before" and second.evidence.is_green else first
    return replace(
        shows,
        report=SuiteReport(_cases(one, two, when), _coverage(first.report, second.report, when)),
        flaky=frozenset(flaky),
        is_broken=(first.is_broken or second.is_broken) and not _either_is_green(first, second),
    )


def _cases(one: Mapping[str, Case], two: Mapping[str, Case], when: When) -> tuple[Case, ...]:
    order = _WORSE_FIRST if when == "before" else _BETTER_FIRST
    shared = tuple(
        min(case, two[test], key=lambda each: order.index(each.outcome))
        for test, case in one.items()
        if test in two
    )
    if when == "before":
        return shared
    alone = (
        case for case in (*one.values(), *two.values()) if (case.id in one) != (case.id in two)
    )
    return (*shared, *alone)


def _coverage(one: SuiteReport, two: SuiteReport, when: When) -> float | None:
    told = [report.coverage for report in (one, two) if report.coverage is not None]
    if not told:
        return None
    return min(told) if when == "before" else max(told)


def _either_is_green(first: SuiteRun, second: SuiteRun) -> bool:
    return first.evidence.is_green or second.evidence.is_green


def _by_id(report: SuiteReport) -> dict[str, Case]:
    return {case.id: case for case in report.cases}


def _red(report: SuiteReport | Malformed) -> frozenset[str]:
    if isinstance(report, Malformed):
        return frozenset()
    return frozenset(case.id for case in report.cases if case.outcome == "failed")
