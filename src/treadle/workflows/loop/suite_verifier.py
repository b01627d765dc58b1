"""Runs the project's tests on a commit and compares them with the baseline."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from treadle.domain.check import CheckTiming
from treadle.domain.events.all_events import Event
from treadle.verify.check_runner import CheckRunner, CommandStopped
from treadle.verify.grade import SuiteGrade
from treadle.verify.suite import SuiteCommand, event_of, failures_text, run_suite
from treadle.verify.suite_comparison import (
    RegressionRules,
    SuiteComparison,
    SuiteRun,
    compare_suite_runs,
    describe_baseline,
)


@dataclass(frozen=True, slots=True)
class SuiteVerdict:
    """The comparison with the baseline, and the end of the tests' output."""

    comparison: SuiteComparison
    output: str
    grade: SuiteGrade | None = None

    @property
    def problems(self) -> str:
        """The objections as text; empty if there are none."""
        return failures_text(self.comparison, self.output)


@dataclass(slots=True)
class SuiteVerifier:
    """Verifies one run. The tests run once on the baseline, the commit before the run's work."""

    runner: CheckRunner
    suite: SuiteCommand
    baseline: str
    rules: Callable[[], RegressionRules]
    record: Callable[[Event], None]
    before: SuiteRun | None = None

    async def verify(
        self, commit: str, when: CheckTiming = "after", accepted: Collection[str] = ()
    ) -> SuiteVerdict | CommandStopped:
        """The objections of the tests on this commit, without those that a person accepted."""
        if self.before is None:
            before = await self._run(self.baseline, "before")
            if isinstance(before, CommandStopped):
                return before
            self.record(event_of(before, describe_baseline(before)))
            # Where the setup failed, the next verification may learn more.
            self.before = None if before.setup_failure else before
        else:
            before = self.before
        now = await self._run(commit, when)
        if isinstance(now, CommandStopped):
            return now
        comparison = compare_suite_runs(before, now, self.rules())
        accepted_objections = tuple(
            each for each in comparison.objections if each.accepted_as in accepted
        )
        objections = tuple(
            each for each in comparison.objections if each not in accepted_objections
        )
        comparison = replace(comparison, objections=objections)
        self.record(event_of(now, comparison, accepted=accepted_objections))
        return SuiteVerdict(comparison, now.output)

    async def _run(self, commit: str, when: CheckTiming) -> SuiteRun | CommandStopped:
        return await run_suite(self.runner, self.suite, commit, when, before=self.before)
