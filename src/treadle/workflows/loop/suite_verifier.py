"""Runs the project's tests on a commit and compares them with the baseline."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from treadle.domain.check import CheckTiming
from treadle.domain.events.all_events import Event
from treadle.verify.check_runner import CheckRunner, CommandStopped
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
    """What the gate found, and the end of what the tests printed."""

    judged: SuiteComparison
    output: str

    @property
    def problems(self) -> str:
        """What stands against the work, in words; empty: nothing."""
        return failures_text(self.judged, self.output)


@dataclass(slots=True)
class SuiteVerifier:
    """One for a run: what the tests said at the baseline, the commit before its work, is asked
    once."""

    runner: CheckRunner
    suite: SuiteCommand
    baseline: str
    rules: Callable[[], RegressionRules]
    record: Callable[[Event], None]
    before: SuiteRun | None = None

    async def verify(
        self, commit: str, when: CheckTiming = "after", accepted: Collection[str] = ()
    ) -> SuiteVerdict | CommandStopped:
        """What the tests object to on this commit, without what a person has accepted."""
        if self.before is None:
            before = await self._run(self.baseline, "before")
            if isinstance(before, CommandStopped):
                return before
            self.record(event_of(before, describe_baseline(before)))
            self.before = before
        now = await self._run(commit, when)
        if isinstance(now, CommandStopped):
            return now
        judged = compare_suite_runs(self.before, now, self.rules())
        let_fail = tuple(each for each in judged.objections if each.accepted_as in accepted)
        left = tuple(each for each in judged.objections if each not in let_fail)
        judged = replace(judged, objections=left)
        self.record(event_of(now, judged, accepted=let_fail))
        return SuiteVerdict(judged, now.output)

    async def _run(self, commit: str, when: CheckTiming) -> SuiteRun | CommandStopped:
        return await run_suite(self.runner, self.suite, commit, when, before=self.before)
