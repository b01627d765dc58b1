"""Decides the grade of the test command: whose tests say that the work broke nothing? Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from treadle.domain.check import Grade
from treadle.domain.pin_plan import PinPlan
from treadle.domain.suite_report import (
    TEST_COMMAND,
    CaseOutcome,
    MalformedReport,
    SuiteObjection,
    SuiteReport,
)
from treadle.verify.pins.pin_text import judge_changes, list_names, mixed_failure
from treadle.verify.suites.plan_mentions import bare_name
from treadle.verify.suites.suite_comparison import SuiteComparison, SuiteRun

NO_NAMES = "the command names no tests"
NONE_PASSES = "none of the tests passes"
ONLY_AGENT_TESTS = "only tests that the agent wrote ran"
FAILS_AS_BEFORE = "the test command fails as it did before the work, so it proves nothing"


@dataclass(frozen=True, slots=True)
class SuiteGrade:
    """The grade of the tests; `judge` wrote them, `why` says why the grade is not higher."""

    grade: Grade
    judge: Literal["person", "agent", ""]
    why: str = ""
    # Tests of the user that fail with the work, which lowers every deliverable.
    failing: tuple[str, ...] = ()
    # Whether there are no tests at all, before the work and on it.
    is_empty: bool = False


def grade_suite(
    before: SuiteRun,
    work: SuiteComparison,
    now: SuiteRun,
    pinned: tuple[SuiteRun, SuiteComparison] | None,
    plan: PinPlan,
) -> SuiteGrade:
    """The grade of the tests on the work.

    `pinned` is the run with the judges of the base, None if it was not made; an empty plan needs
    none.
    """
    if why := _why_claimed(before, work):
        return SuiteGrade("claimed", "", why, is_empty=_has_no_tests(before, now))
    if why := _why_unpinned(work, pinned, plan):
        return SuiteGrade("self-tested", "agent", why, failing=_failing_tests(work, pinned))
    with_own_tests, comparison = (now, work) if pinned is None else pinned
    if not _ran(with_own_tests) and (silent := _grade_silence(before, now, with_own_tests)):
        return silent
    if before.evidence.is_green and not (before.has_cases or before.ran):
        return SuiteGrade("self-tested", "person", f"before the work {NO_NAMES}")
    if flaky := tuple(dict.fromkeys((*work.new_flaky, *comparison.new_flaky))):
        why = f"flaky since the work: {_tests(flaky)}"
        return SuiteGrade("self-tested", "person", why)
    return SuiteGrade("proven", "person")


def _grade_silence(before: SuiteRun, now: SuiteRun, with_own_tests: SuiteRun) -> SuiteGrade | None:
    """The grade of a run that tells of no test that passed; None if its exit code proves enough."""
    if _ran(now):
        return SuiteGrade("self-tested", "agent", ONLY_AGENT_TESTS)
    if _has_no_tests(before, now):
        return SuiteGrade("claimed", "", "there are no tests", is_empty=True)
    if now.has_cases:
        return SuiteGrade("self-tested", "person", NONE_PASSES)
    if not _turned_green(before, with_own_tests):
        return SuiteGrade("self-tested", "person", NO_NAMES)
    return None


def _why_claimed(before: SuiteRun, work: SuiteComparison) -> str:
    if not work.passes:
        return "the tests object to the work"
    if before.unknown:
        return f"the tests could not be run before the work: {before.unknown}"
    if isinstance(before.report, MalformedReport):
        return f"the report of the tests before the work cannot be read: {before.report.reason}"
    return FAILS_AS_BEFORE if TEST_COMMAND in work.known_red else ""


def _why_unpinned(
    work: SuiteComparison, pinned: tuple[SuiteRun, SuiteComparison] | None, plan: PinPlan
) -> str:
    """Why the tests of the base do not confirm those of the work; empty if they do."""
    if pinned is None:
        if plan.mixed:
            return mixed_failure(plan)
        return "" if plan.is_empty else "they were not run with your tests"
    run, comparison = pinned
    if not comparison.passes:
        if why := run.inconclusive or run.unknown:
            return f"with your tests they could not be run: {why}"
        return _with_changes(_failing(comparison.objections), plan)
    red = _red_with_own_tests(work, comparison)
    if TEST_COMMAND in red:
        no_tests = run.ran == 0 and not run.has_cases
        return ONLY_AGENT_TESTS if no_tests else f"with your tests {FAILS_AS_BEFORE}"
    if red:
        return _with_changes(f"your tests fail with the work: {_tests(red)}", plan)
    return mixed_failure(plan) if plan.mixed else ""


def _red_with_own_tests(work: SuiteComparison, pinned: SuiteComparison) -> tuple[str, ...]:
    """Tests that were red before the work, and are green only as the agent changed them."""
    return tuple(test for test in pinned.known_red if test not in work.known_red)


def _failing_tests(
    work: SuiteComparison, pinned: tuple[SuiteRun, SuiteComparison] | None
) -> tuple[str, ...]:
    """The tests of the user that contradict the work."""
    if pinned is None or pinned[0].inconclusive or pinned[0].unknown:
        return ()
    _, comparison = pinned
    red = _red_with_own_tests(work, comparison)
    about_tests = (each.test for each in comparison.objections if each.finding != "coverage")
    return tuple(dict.fromkeys((*about_tests, *(() if TEST_COMMAND in red else red))))


def _failing(objections: Sequence[SuiteObjection]) -> str:
    tests = [each.test for each in objections if each.test and each.test != TEST_COMMAND]
    if tests:
        return f"your tests fail with the work: {_tests(tests)}"
    line = objections[0].summary_line
    if objections[0].finding == "coverage":
        return f"with your tests the coverage is lower: {line}"
    return f"your tests fail with the work: {line}"


def _with_changes(text: str, plan: PinPlan) -> str:
    """The text, and what the agent did to the judges."""
    changes = judge_changes(plan)
    return f"{text}; {changes}" if changes else text


def _turned_green(before: SuiteRun, run: SuiteRun) -> bool:
    """Whether a command that tells nothing of its tests was red and is green, as a check is."""
    is_silent = run.ran is None and not run.has_cases
    return is_silent and run.evidence.is_green and not before.evidence.is_green


def _ran(run: SuiteRun) -> bool:
    """Whether a test that it names passed, or it counts some and names none."""
    if run.ran and not run.has_cases:
        return True
    outcome: CaseOutcome = "passed"
    return isinstance(run.report, SuiteReport) and any(
        case.outcome == outcome for case in run.report.cases
    )


def _has_no_tests(before: SuiteRun, now: SuiteRun) -> bool:
    if before.has_cases or now.has_cases or before.ran:
        return False
    return now.ran == 0 or (now.gap is not None and now.gap.lacks == "tests")


def _tests(tests: Sequence[str]) -> str:
    return list_names([bare_name(test) for test in tests])
