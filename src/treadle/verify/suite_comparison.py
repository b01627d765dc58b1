"""Compares the test results on the work with the baseline and lists the regressions. Pure."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from treadle.domain.check import Evidence
from treadle.domain.suite_report import CaseResult, MalformedReport, SuiteObjection, SuiteReport
from treadle.verify.plan_mentions import (
    bare_name,
    is_mentioned,
    removal_sentences,
    without_arguments,
)
from treadle.verify.reports.case_ids import is_load_failure

# Stands for a test where the command tells of none, or of none that explains how it ended.
TEST_COMMAND = "the test command"
# Percent of coverage that come and go with the lines of a clean-up.
_SLACK = 0.1
# Tests that are looked for in the plan.
MOST_LOOKED_UP = 5_000
# Of the output this much goes with an objection that no test explains.
_LONGEST_OUTPUT_END = 400


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """What the test command said on one tree, once or twice."""

    evidence: Evidence
    report: SuiteReport | MalformedReport
    # Tests that ended in different ways on this one tree.
    flaky: frozenset[str] = frozenset()
    # The command failed, and no test that it told of says why.
    is_broken: bool = False
    # The end of what was printed.
    output: str = field(default="", repr=False)

    @property
    def is_timed_out(self) -> bool:
        """Its time was over first."""
        return self.evidence.exit_code is None


@dataclass(frozen=True, slots=True)
class RegressionRules:
    """What the gate goes by: texts that may name tests to let go, and percent of coverage."""

    plan: str
    coverage: float


@dataclass(frozen=True, slots=True)
class SuiteComparison:
    """Why the gate stays shut, if it does; and what was seen, and does not count."""

    objections: tuple[SuiteObjection, ...] = ()
    known_red: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()

    @property
    def passes(self) -> bool:
        return not self.objections


def compare_suite_runs(before: SuiteRun, now: SuiteRun, rules: RegressionRules) -> SuiteComparison:
    """No new red, no test gone or skipped without the plan's word, no coverage lost.

    What was red before, and what ends now so and now so, does not count. A run that was cut or
    cannot be read shows nothing, so that it never opens the gate.
    """
    flaky = tuple(sorted(before.flaky | now.flaky))
    if isinstance(now.report, MalformedReport):
        return SuiteComparison((_broken_run(now.report.reason),), flaky=flaky)
    then = before.report if isinstance(before.report, SuiteReport) else SuiteReport()
    past = {case.id: case for case in then.cases}
    shown = {case.id: case for case in now.report.cases}
    doubted = before.flaky | now.flaky
    red = _find_new_failures(past, shown, doubted)
    known = _find_known_red(past, shown)
    if now.is_timed_out:
        return SuiteComparison((_timed_out_run(now), *red), known, flaky)
    if past and not shown:
        return SuiteComparison((_all_tests_missing(len(past), now),), flaky=flaky)
    if breaks_as_before(before, now):
        known = (TEST_COMMAND, *known)
    elif now.is_broken:
        red = (_unexplained_failure(now), *red)
    plan = removal_sentences(rules.plan)
    objections = (
        *red,
        *_find_removed(past, shown, plan),
        *_find_newly_skipped(past, shown, plan),
        *_find_coverage_loss(then.coverage, now.report.coverage, rules.coverage),
    )
    return SuiteComparison(objections, known, flaky)


def breaks_as_before(before: SuiteRun, now: SuiteRun) -> bool:
    """Whether the command fails as it did before the work, with no test that says why.

    Not if it ends in another way, or tells of tests only now: a command that was not there yet or
    found no tests failed, too, and that excuses nothing.
    """
    return (
        before.is_broken
        and now.is_broken
        and before.evidence.exit_code == now.evidence.exit_code
        and _reports_tests(before) == _reports_tests(now)
    )


def _reports_tests(run: SuiteRun) -> bool:
    return isinstance(run.report, SuiteReport) and bool(run.report.cases)


def describe_baseline(before: SuiteRun) -> SuiteComparison:
    """What the tests said before the work, for the record: nothing of it is an objection."""
    cases = before.report.cases if isinstance(before.report, SuiteReport) else ()
    red = tuple(case.id for case in cases if case.outcome == "failed")
    if before.is_broken or before.is_timed_out or isinstance(before.report, MalformedReport):
        red = (TEST_COMMAND, *red)
    return SuiteComparison((), red, tuple(sorted(before.flaky)))


def _find_new_failures(
    past: Mapping[str, CaseResult], shown: Mapping[str, CaseResult], doubted: frozenset[str]
) -> tuple[SuiteObjection, ...]:
    return tuple(
        SuiteObjection("new_failure", case.id, case.file, case.line, case.message)
        for case in shown.values()
        if case.outcome == "failed" and case.id not in doubted and not _was_red(past, case.id)
    )


def _find_known_red(
    past: Mapping[str, CaseResult], shown: Mapping[str, CaseResult]
) -> tuple[str, ...]:
    return tuple(
        case.id for case in shown.values() if case.outcome == "failed" and _was_red(past, case.id)
    )


def _was_red(past: Mapping[str, CaseResult], test: str) -> bool:
    return test in past and past[test].outcome == "failed"


def _find_removed(
    past: Mapping[str, CaseResult], shown: Mapping[str, CaseResult], plan: Sequence[str]
) -> Iterable[SuiteObjection]:
    gone = [case for case in past.values() if case.id not in shown and not is_load_failure(case.id)]
    elsewhere = find_renamed(gone, (case for case in shown.values() if case.id not in past))
    named = _mention_lookup(plan)
    for case in gone:
        if case.id in elsewhere or named(case.id):
            continue
        how = "red" if case.outcome == "failed" else case.outcome
        told = f"it was {how} before the work, and is not there any more"
        yield SuiteObjection("removed", case.id, message=told)


def _mention_lookup(plan: Sequence[str]) -> Callable[[str], bool]:
    """Whether the plan names a test; of so many that looking takes too long, it names none."""
    looks = 0

    def is_it(test: str) -> bool:
        nonlocal looks
        looks += 1
        return looks <= MOST_LOOKED_UP and is_mentioned(test, plan)

    return is_it


def _find_newly_skipped(
    past: Mapping[str, CaseResult], shown: Mapping[str, CaseResult], plan: Sequence[str]
) -> Iterable[SuiteObjection]:
    named = _mention_lookup(plan)
    for case in shown.values():
        ran = case.id in past and past[case.id].outcome != "skipped"
        if case.outcome == "skipped" and ran and not named(case.id):
            told = case.message or "it ran before the work, and is skipped now"
            yield SuiteObjection("newly_skipped", case.id, case.file, case.line, told)


def _find_coverage_loss(
    then: float | None, now: float | None, wanted: float
) -> Iterable[SuiteObjection]:
    if now is None:
        if then is not None:
            told = f"{then:.1f} % before the work, and no report of it now"
            yield SuiteObjection("coverage", "", message=told)
        return
    if now < wanted and (then is None or now < then - _SLACK):
        was = "" if then is None else f", and was {then:.1f} % before the work"
        yield SuiteObjection("coverage", "", message=f"{now:.1f} % is below {wanted:g} %{was}")


def _broken_run(message: str) -> SuiteObjection:
    return SuiteObjection("broken_run", TEST_COMMAND, message=message)


def _timed_out_run(now: SuiteRun) -> SuiteObjection:
    seconds = now.evidence.duration_s
    told = f"it was not done after {seconds:.0f} s and was ended (see verify.test_minutes)"
    return _broken_run(_with_output_end(told, now))


def _all_tests_missing(tests: int, now: SuiteRun) -> SuiteObjection:
    told = f"it told of {tests} tests before the work, and tells of none now"
    return _broken_run(_with_output_end(told, now))


def _unexplained_failure(now: SuiteRun) -> SuiteObjection:
    told = f"it ended with exit code {now.evidence.exit_code}, and no test says why"
    return _broken_run(_with_output_end(told, now))


def _with_output_end(told: str, now: SuiteRun) -> str:
    return f"{told}\n{now.output.strip()[-_LONGEST_OUTPUT_END:]}".strip()


def find_renamed(gone: Iterable[CaseResult], arrived: Iterable[CaseResult]) -> frozenset[str]:
    """Which of those that are gone have another one in their place, among new ones that pass.

    Under the same name elsewhere; or, where a test is run for a table of arguments, with other
    arguments at the same place. The latter is not for one that was red: it may have been exchanged
    for an easier one. Each new test stands for one old one.
    """
    left = list(gone)
    new = [case for case in arrived if case.outcome == "passed"]
    found: set[str] = set()
    _pair_by_key(left, new, found, by=lambda case: bare_name(case.id))
    tables = [case for case in left if case.outcome != "failed"]
    _pair_by_key(tables, new, found, by=lambda case: without_arguments(case.id))
    return frozenset(found)


def _pair_by_key(
    gone: list[CaseResult],
    new: list[CaseResult],
    found: set[str],
    *,
    by: Callable[[CaseResult], str],
) -> None:
    """Take pairs of the same key out of both lists, in their order."""
    waiting: dict[str, list[CaseResult]] = defaultdict(list)
    for case in reversed(new):
        waiting[by(case)].append(case)
    taken: set[str] = set()
    for case in gone:
        key = by(case)
        if key and waiting[key]:
            taken.add(waiting[key].pop().id)
            found.add(case.id)
    gone[:] = [case for case in gone if case.id not in found]
    new[:] = [case for case in new if case.id not in taken]
