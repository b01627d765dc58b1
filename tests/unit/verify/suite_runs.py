"""Short notation for runs of a test command."""

from collections.abc import Mapping

from treadle.domain.check import CheckTiming, Evidence
from treadle.domain.suite_report import CaseOutcome, CaseResult, MalformedReport, SuiteReport
from treadle.verify.suites.rerun import is_broken
from treadle.verify.suites.suite_comparison import SuiteRun


def evidence(exit_code: int | None = 0, when: CheckTiming = "after") -> Evidence:
    return Evidence(
        command="make test",
        when=when,
        commit="c" * 40,
        tree="t" * 40,
        exit_code=exit_code,
        duration_s=12.0,
        fingerprint="e" * 64,
        log="f" * 64,
    )


def case(test: str, outcome: CaseOutcome = "passed") -> CaseResult:
    if outcome == "failed":
        return CaseResult(test, "unit", outcome, "tests/test_cart.py", 7, "assert 1 == 2")
    return CaseResult(test, "unit", outcome)


def suite(
    cases: Mapping[str, CaseOutcome] | None = None,
    exit_code: int | None = None,
    *,
    coverage: float | None = None,
    flaky: frozenset[str] = frozenset(),
    output: str = "",
) -> SuiteRun:
    """A run that told of these tests; its exit code is theirs unless another is given."""
    report = SuiteReport(
        tuple(case(test, outcome) for test, outcome in (cases or {}).items()), coverage
    )
    if exit_code is None:
        exit_code = int(any(each.outcome == "failed" for each in report.cases))
    shown = evidence(exit_code)
    return SuiteRun(shown, report, flaky, is_broken(shown, report), output)


def cut(cases: Mapping[str, CaseOutcome] | None = None) -> SuiteRun:
    report = SuiteReport(tuple(case(test, outcome) for test, outcome in (cases or {}).items()))
    return SuiteRun(evidence(None), report, output="still going")


def illegible(reason: str = "junit.xml, line 3: not XML") -> SuiteRun:
    return SuiteRun(evidence(1), MalformedReport(reason))
