"""Compares the test results on the work with the baseline and lists the regressions. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from treadle.domain.check import Evidence
from treadle.domain.suite_report import (
    TEST_COMMAND,
    CaseResult,
    MalformedReport,
    SuiteObjection,
    SuiteReport,
)
from treadle.verify.reports.case_ids import is_load_failure
from treadle.verify.results.runner_end import RunnerGap
from treadle.verify.suites.plan_mentions import is_mentioned, removal_sentences
from treadle.verify.suites.renamed_tests import find_renamed

# Percent of coverage that a clean-up may lose.
_SLACK = 0.1
MOST_LOOKED_UP = 5_000  # tests that are searched for in the plan
# Characters of output in an objection that no test explains.
_LONGEST_OUTPUT_END = 400


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """The result of running the test command once or twice on one tree."""

    evidence: Evidence
    report: SuiteReport | MalformedReport
    # Tests with different outcomes on this tree.
    flaky: frozenset[str] = frozenset()
    # The command failed and no reported test explains it.
    is_broken: bool = False
    # The end of the output.
    output: str = field(default="", repr=False)
    # How the setup before it failed; empty if it did not.
    setup_failure: str = ""
    # Why the command could not start; empty if it did.
    start_failure: str = ""
    # Why a red run says nothing about the project, such as a signal or the network; else empty.
    outside_failure: str = ""
    # The program that it did not find; whether the one that the baseline lacked is in this tree.
    missing_program: str = ""
    program_present: bool = False
    # What a green run lacks to count as one.
    gap: RunnerGap | None = None
    # How many tests ran and were not skipped, by the summary of the runner; None if it says not.
    ran: int | None = None
    # Of the baseline: tests that were flaky on earlier work of the run.
    doubted: frozenset[str] = frozenset()

    @property
    def is_timed_out(self) -> bool:
        """Whether the command was ended at its time limit."""
        return self.evidence.exit_code is None

    @property
    def inconclusive(self) -> str:
        """Why a red run says nothing about the tests; empty if it does, or is green."""
        return "" if self.evidence.is_green else self.setup_failure or self.start_failure

    @property
    def unknown(self) -> str:
        """Why a look before the work proves nothing; empty if it is red or green."""
        if self.evidence.is_green:
            return ""
        if self.is_timed_out:
            return "it ran out of time"
        return self.setup_failure or self.outside_failure

    @property
    def has_cases(self) -> bool:
        """Whether it names any test."""
        return isinstance(self.report, SuiteReport) and bool(self.report.cases)


@dataclass(frozen=True, slots=True)
class RegressionRules:
    """The words of the user, which may allow tests to be removed, and the wanted percent of
    coverage. What an agent planned allows nothing."""

    plan: str
    coverage: float


@dataclass(frozen=True, slots=True)
class SuiteComparison:
    """The objections to the work, and the red and flaky tests that do not count.

    `new_flaky` are those that were not known to be flaky before the work.
    """

    objections: tuple[SuiteObjection, ...] = ()
    known_red: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    new_flaky: tuple[str, ...] = ()

    @property
    def passes(self) -> bool:
        return not self.objections


def compare_suite_runs(before: SuiteRun, now: SuiteRun, rules: RegressionRules) -> SuiteComparison:
    """Object to new failures, lost coverage, and tests removed or skipped against the plan.

    Tests that were red before or are flaky do not count. A run that timed out, that could not
    start, that did not end or whose report is malformed is an objection itself, so it never passes.
    """
    compared = _compare(before, now, rules)
    return replace(
        compared,
        flaky=tuple(sorted(before.flaky | now.flaky)),
        new_flaky=tuple(sorted(now.flaky - before.flaky)),
    )


def _compare(before: SuiteRun, now: SuiteRun, rules: RegressionRules) -> SuiteComparison:
    if isinstance(now.report, MalformedReport):
        return SuiteComparison((_broken_run(now.report.reason),))
    if now.inconclusive:
        return SuiteComparison(
            (_broken_run(_with_output_end(f"it cannot run: {now.inconclusive}", now)),)
        )
    baseline = _known_report(before)
    past = {case.id: case for case in baseline.cases}
    current = {case.id: case for case in now.report.cases}
    red = _find_new_failures(past, current, before.flaky | now.flaky)
    known = _find_known_red(past, current)
    if now.is_timed_out:
        return SuiteComparison((_timed_out_run(now), *red), known)
    if past and not current:
        return SuiteComparison((_all_tests_missing(len(past), now),))
    if now.gap is not None and _is_new_gap(now.gap, before):
        return SuiteComparison((_broken_run(_with_output_end(now.gap.text, now)), *red), known)
    if breaks_as_before(before, now):
        known = (TEST_COMMAND, *known)
    elif now.is_broken:
        red = (_unexplained_failure(now), *red)
    plan = removal_sentences(rules.plan)
    objections = (
        *red,
        *_find_removed(past, current, plan),
        *_find_newly_skipped(past, current, plan),
        *(_find_fewer_tests(before, now) if not plan else ()),
        *_find_coverage_loss(baseline.coverage, now.report.coverage, rules.coverage),
    )
    return SuiteComparison(objections, known)


def _is_new_gap(gap: RunnerGap, before: SuiteRun) -> bool:
    """Whether the run lacks what the baseline had: some projects have no tests yet, or print no
    summary by their settings."""
    if gap.lacks == "tests":
        return before.has_cases or bool(before.ran)
    return before.gap is None or before.gap.lacks != "end"


def _find_fewer_tests(before: SuiteRun, now: SuiteRun) -> Iterable[SuiteObjection]:
    """For runners that count their tests and do not name them."""
    if before.ran is None or now.ran is None or before.has_cases or now.has_cases:
        return
    if now.ran < before.ran:
        message = f"it ran {before.ran} tests before the work, and runs {now.ran} now"
        yield _broken_run(_with_output_end(message, now))


def _known_report(before: SuiteRun) -> SuiteReport:
    """The report on the baseline; empty if there is none that says anything."""
    if before.inconclusive or isinstance(before.report, MalformedReport):
        return SuiteReport()
    return before.report


def breaks_as_before(before: SuiteRun, now: SuiteRun) -> bool:
    """Whether the command fails unexplained in the same way as before the work.

    A different exit code, or tests reported only now, is another failure: a command that did not
    exist yet or found no tests also failed before.
    """
    return (
        before.is_broken
        and now.is_broken
        and not now.inconclusive
        and before.evidence.exit_code == now.evidence.exit_code
        and before.has_cases == now.has_cases
    )


def describe_baseline(before: SuiteRun) -> SuiteComparison:
    """The results before the work, for the record; they contain no objections."""
    cases = before.report.cases if isinstance(before.report, SuiteReport) else ()
    red = tuple(case.id for case in cases if case.outcome == "failed")
    if before.is_broken or before.is_timed_out or isinstance(before.report, MalformedReport):
        red = (TEST_COMMAND, *red)
    return SuiteComparison((), red, tuple(sorted(before.flaky)))


def _find_new_failures(
    past: Mapping[str, CaseResult], current: Mapping[str, CaseResult], unreliable: frozenset[str]
) -> tuple[SuiteObjection, ...]:
    return tuple(
        SuiteObjection("new_failure", case.id, case.file, case.line, case.message)
        for case in current.values()
        if case.outcome == "failed" and case.id not in unreliable and not _was_red(past, case.id)
    )


def _find_known_red(
    past: Mapping[str, CaseResult], current: Mapping[str, CaseResult]
) -> tuple[str, ...]:
    return tuple(
        case.id for case in current.values() if case.outcome == "failed" and _was_red(past, case.id)
    )


def _was_red(past: Mapping[str, CaseResult], test: str) -> bool:
    return test in past and past[test].outcome == "failed"


def _find_removed(
    past: Mapping[str, CaseResult], current: Mapping[str, CaseResult], plan: Sequence[str]
) -> Iterable[SuiteObjection]:
    removed = [
        case for case in past.values() if case.id not in current and not is_load_failure(case.id)
    ]
    renamed = find_renamed(removed, (case for case in current.values() if case.id not in past))
    in_plan = _mention_lookup(plan)
    for case in removed:
        if case.id in renamed or in_plan(case.id):
            continue
        how = "red" if case.outcome == "failed" else case.outcome
        message = f"it was {how} before the work, and is not there any more"
        yield SuiteObjection("removed", case.id, message=message)


def _mention_lookup(plan: Sequence[str]) -> Callable[[str], bool]:
    """Search the plan for tests, up to a limit; beyond it no test counts as mentioned."""
    lookups = 0

    def is_in_plan(test: str) -> bool:
        nonlocal lookups
        lookups += 1
        return lookups <= MOST_LOOKED_UP and is_mentioned(test, plan)

    return is_in_plan


def _find_newly_skipped(
    past: Mapping[str, CaseResult], current: Mapping[str, CaseResult], plan: Sequence[str]
) -> Iterable[SuiteObjection]:
    in_plan = _mention_lookup(plan)
    for case in current.values():
        ran = case.id in past and past[case.id].outcome != "skipped"
        if case.outcome == "skipped" and ran and not in_plan(case.id):
            message = case.message or "it ran before the work, and is skipped now"
            yield SuiteObjection("newly_skipped", case.id, case.file, case.line, message)


def _find_coverage_loss(
    then: float | None, now: float | None, wanted: float
) -> Iterable[SuiteObjection]:
    if now is None:
        if then is not None:
            message = f"{then:.1f} % before the work, and no report of it now"
            yield SuiteObjection("coverage", "", message=message)
        return
    if now < wanted and (then is None or now < then - _SLACK):
        was = "" if then is None else f", and was {then:.1f} % before the work"
        yield SuiteObjection("coverage", "", message=f"{now:.1f} % is below {wanted:g} %{was}")


def _broken_run(message: str) -> SuiteObjection:
    return SuiteObjection("broken_run", TEST_COMMAND, message=message)


def _timed_out_run(now: SuiteRun) -> SuiteObjection:
    took = f"{now.evidence.duration_s:.0f} s"
    message = f"it was not done after {took} and was ended (see verify.test_minutes)"
    return _broken_run(_with_output_end(message, now))


def _all_tests_missing(tests: int, now: SuiteRun) -> SuiteObjection:
    message = f"it reported {tests} tests before the work, and none now"
    return _broken_run(_with_output_end(message, now))


def _unexplained_failure(now: SuiteRun) -> SuiteObjection:
    message = f"it ended with exit code {now.evidence.exit_code}, and no test explains why"
    return _broken_run(_with_output_end(message, now))


def _with_output_end(message: str, now: SuiteRun) -> str:
    return f"{message}\n{now.output.strip()[-_LONGEST_OUTPUT_END:]}".strip()
