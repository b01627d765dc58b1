"""Runs the project's tests on a commit, compares them with the baseline, and grades them."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace

from treadle.domain.check import CheckTiming
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.verification import SuiteFinished, SuiteGraded
from treadle.domain.suite_report import SuiteObjection
from treadle.verify.grades.flaky_results import earlier_flaky_tests, with_earlier_failures
from treadle.verify.grades.suite_grade import SuiteGrade, grade_suite
from treadle.verify.pins.judge_pins import JudgePins, NoJudgePins
from treadle.verify.results.before_look import MAX_LOOKS
from treadle.verify.results.check_runner import CheckRunner, CommandStopped
from treadle.verify.suites.suite import SuiteCommand, event_of, failures_text, run_suite
from treadle.verify.suites.suite_comparison import (
    RegressionRules,
    SuiteComparison,
    SuiteRun,
    compare_suite_runs,
    describe_baseline,
)

# Tests that the event of a grade names.
MAX_FAILING = 50


@dataclass(frozen=True, slots=True)
class SuiteVerdict:
    """The comparison with the baseline, the end of the tests' output, and their grade."""

    comparison: SuiteComparison
    output: str
    # None if there are objections.
    grade: SuiteGrade | None = None

    @property
    def problems(self) -> str:
        """The objections as text; empty if there are none."""
        return failures_text(self.comparison, self.output)


@dataclass(slots=True)
class SuiteVerifier:
    """Verifies one run. The tests run once on the baseline, the commit before the run's work; a
    baseline that says nothing is looked at again, `MAX_LOOKS` times in all."""

    runner: CheckRunner
    suite: SuiteCommand
    baseline: str
    rules: Callable[[], RegressionRules]
    record: Callable[[Event], None]
    judges: JudgePins = field(default_factory=NoJudgePins)
    # How the tests ended on the work so far, in this run.
    finished: list[SuiteFinished] = field(default_factory=list)
    before: SuiteRun | None = None
    _looks: int = 0

    async def verify(
        self, commit: str, when: CheckTiming = "after", accepted: Collection[str] = ()
    ) -> SuiteVerdict | CommandStopped:
        """The objections of the tests on this commit, without those that a person accepted."""
        before = await self._look_before()
        if isinstance(before, CommandStopped):
            return before
        before = replace(before, doubted=earlier_flaky_tests(self.finished, before.flaky))
        now = await run_suite(self.runner, self.suite, commit, when, before=before)
        if isinstance(now, CommandStopped):
            return now
        now = with_earlier_failures(now, self.finished)
        if before.missing_program and now.program_present:
            # It was red, because the work was not there yet.
            self.before = before = replace(before, outside_failure="", missing_program="")
        comparison = self._compare(before, now, accepted)
        if not comparison.passes:
            return SuiteVerdict(comparison, now.output)
        graded = await self._grade(before, comparison, now, accepted)
        if isinstance(graded, CommandStopped):
            return graded
        return SuiteVerdict(comparison, now.output, graded)

    async def _look_before(self) -> SuiteRun | CommandStopped:
        if self.before is not None and (not self.before.unknown or self._looks >= MAX_LOOKS):
            return self.before
        before = await run_suite(self.runner, self.suite, self.baseline, "before")
        if isinstance(before, CommandStopped):
            return before
        self._looks += 1
        self.record(event_of(before, describe_baseline(before)))
        self.before = before
        return before

    def _compare(
        self, before: SuiteRun, now: SuiteRun, accepted: Collection[str]
    ) -> SuiteComparison:
        """Compare, and record the result with what a person accepted."""
        comparison = compare_suite_runs(before, now, self.rules())
        objections: list[SuiteObjection] = []
        accepted_objections: list[SuiteObjection] = []
        for each in comparison.objections:
            (accepted_objections if each.accepted_as in accepted else objections).append(each)
        comparison = replace(comparison, objections=tuple(objections))
        finished = event_of(now, comparison, accepted=tuple(accepted_objections))
        self.record(finished)
        self.finished.append(finished)
        return comparison

    async def _grade(
        self, before: SuiteRun, work: SuiteComparison, now: SuiteRun, accepted: Collection[str]
    ) -> SuiteGrade | CommandStopped:
        """Grade the tests: those that the agent changed or added run again as they were."""
        commit = now.evidence.commit
        plan = await self.judges.plan(self.suite.command, self.baseline, commit)
        pinned = None
        if not plan.is_empty:
            run = await run_suite(
                self.runner, self.suite, commit, "pinned", before=before, pins=plan
            )
            if isinstance(run, CommandStopped):
                return run
            pinned = run, self._compare(before, run, accepted)
        graded = grade_suite(before, work, now, pinned, plan)
        self.record(
            SuiteGraded(
                commit, graded.grade, graded.judge, graded.why, graded.failing[:MAX_FAILING]
            )
        )
        return graded


def suites_on_work(
    read: Callable[[Collection[str]], Iterator[RecordedEvent]],
) -> list[SuiteFinished]:
    """How the tests ended on the work of a run, by its log."""
    events = (recorded.event for recorded in read(("suite.finished",)))
    return [
        event
        for event in events
        if isinstance(event, SuiteFinished) and event.evidence.when != "before"
    ]
