"""Verifies claims: runs checks and tests on commits, and sets statuses and grades by them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TypeAlias

from treadle.domain.check import Check, CheckTiming, RequiredGrade
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.run import RunWarned
from treadle.domain.events.verification import (
    CheckFinished,
    ClaimRefused,
    CriterionGrade,
    DeliverableGraded,
)
from treadle.domain.suite_report import TEST_COMMAND
from treadle.verify.grades.grade import (
    grade_criterion,
    grade_deliverable,
    lower_grades,
    shortfall,
)
from treadle.verify.grades.suite_grade import SuiteGrade
from treadle.verify.results.before_look import MAX_LOOKS
from treadle.verify.results.check_runner import CommandStopped
from treadle.verify.suites.suite import failures_text
from treadle.verify.suites.suite_comparison import SuiteComparison
from treadle.workflows.deliver.board import DeliverableBoard
from treadle.workflows.deliver.check_runs import CheckRuns, VerificationStopped, finished_event
from treadle.workflows.deliver.finding_text import FailedCheck, describe_failures
from treadle.workflows.deliver.regression import find_regression
from treadle.workflows.loop.findings import RoundCommits, VerificationFindings
from treadle.workflows.loop.suite_verifier import SuiteVerifier

# They are stored with the step; a broken suite could have too many.
MAX_OBJECTIONS = 1000
UNINFORMATIVE_TESTS = (
    "the test command fails as it did before the work, so it proves nothing about the work; see"
    " what it needs on a fresh checkout, such as project.setup"
)

# A check: its deliverable, criterion and command.
CheckKey: TypeAlias = tuple[str, str, str]


@dataclass(slots=True)
class DeliverableVerifier:
    """Verifies the work of one run."""

    checks: CheckRuns
    board: DeliverableBoard
    # None: the project has no test command.
    suite: SuiteVerifier | None
    # Checks of pending deliverables to run before the work, where they must fail.
    checks_before_work: Callable[[], Sequence[tuple[str, Check]]]
    # Deliverables that must hold before the run succeeds.
    must_hold: Callable[[], Sequence[Deliverable]]
    required: RequiredGrade = "self-tested"
    # The last commit without objections of the tests, and their grade there.
    suite_green_at: str = ""
    suite_grade: SuiteGrade | None = None
    # How many tests failed when they last ran; None if they did not run.
    failing_tests: int | None = None
    # The commit on which each check first ran before the work, and how often it could not run.
    first_commits: dict[CheckKey, str] = field(default_factory=dict)
    looks: dict[CheckKey, int] = field(default_factory=dict)
    # Looks before the work at which a program was missing.
    unknown_looks: dict[CheckKey, CheckFinished] = field(default_factory=dict)

    def is_due(self) -> bool:
        """Whether a round left anything to verify."""
        return bool(self.board.claims() or self._open_looks())

    def can_verify(self) -> bool:
        """Whether passed work can be verified at all."""
        return self.suite is not None or any(d.checks for d in self.board.deliverables)

    async def verify_round(
        self, before: str, tip: str, accepted: Sequence[str]
    ) -> VerificationFindings:
        """Run new checks before the work, then verify the claims; only what holds passes."""
        try:
            await self._run_before_work(before)
            return await self._verify_claims(tip, accepted)
        except VerificationStopped:
            self.board.drop_claims([d.id for d in self.board.claims()])
            return VerificationFindings(stopped=True)

    async def reverify(
        self, commits: RoundCommits, accepted: Sequence[str]
    ) -> VerificationFindings:
        """Verify everything that has passed on the last commit; what broke is pending again."""
        tip = commits[-1].commit
        try:
            failures: list[FailedCheck] = []
            for deliverable in self.must_hold():
                failures += await self._failed_checks(deliverable, tip, "again")
            for failure in failures:
                await self._record_regression(failure, commits)
            comparison, output = await self._tests(tip, "again", accepted)
            for name in dict.fromkeys(failure.deliverable for failure in failures):
                self.board.reset_pass(name, "a check of it that was green is red")
            await self._grade_again(commits)
        except VerificationStopped:
            return VerificationFindings(stopped=True)
        return self._findings(failures, comparison, output)

    def _open_looks(self) -> list[tuple[str, Check]]:
        """The checks that have to run before the work, without those that never could."""
        return [
            (name, check)
            for name, check in self.checks_before_work()
            if self.looks.get((name, check.criterion, check.command), 0) < MAX_LOOKS
        ]

    async def _run_before_work(self, commit: str) -> None:
        for name, check in self._open_looks():
            # One that could not run is tried again on the commit that it was meant for.
            key = (name, check.criterion, check.command)
            first = self.first_commits.setdefault(key, commit)
            self.looks[key] = self.looks.get(key, 0) + 1
            result = await self.checks.run(check.command, first, "before")
            finished = finished_event(name, check, result)
            self.checks.log.record(finished)
            self.board.set_before(finished)
            if finished.missing_program:
                self.unknown_looks[key] = finished

    async def _verify_claims(self, tip: str, accepted: Sequence[str]) -> VerificationFindings:
        claims = self.board.claims()
        if not claims:
            return VerificationFindings(idle=True)
        failures = {d.id: await self._failed_checks(d, tip, "after") for d in claims}
        comparison, output = await self._tests(tip, "after", accepted)
        self.board.drop_claims([name for name, failed in failures.items() if failed])
        current = {d.id: d for d in self.board.deliverables}
        for deliverable in (current.get(d.id, d) for d in claims):
            # A claim that only the tests reject stays open: a person may accept the failures.
            if not failures[deliverable.id] and comparison.passes:
                graded = await self._grade(deliverable, tip)
                self._record_grade(graded, tip)
                self.board.pass_deliverable(deliverable.id, tip, graded)
            else:
                self._refuse(deliverable, tip, failed=len(failures[deliverable.id]))
        return self._findings(list(chain.from_iterable(failures.values())), comparison, output)

    async def _grade(self, deliverable: Deliverable, tip: str) -> DeliverableGraded:
        """The grade of a deliverable whose checks are green on the work."""
        criteria: list[CriterionGrade] = []
        for check in deliverable.checks:
            pinned = await self.checks.on_pinned(deliverable, check, tip)
            criteria.append(grade_criterion(check, pinned))
        return grade_deliverable(deliverable, criteria, self.suite_grade)

    async def _grade_again(self, commits: RoundCommits) -> None:
        """Grade what has passed on the last commit: later rounds may have changed judges.

        A pass of an earlier run keeps its grade or loses it: its judges are those of that run.
        """
        tip, own = commits[-1].commit, {each.commit for each in commits[1:]}
        for deliverable in self.board.verifiable():
            graded = await self._grade(deliverable, tip)
            if deliverable.claim is None or deliverable.claim.commit not in own:
                graded = lower_grades(deliverable, graded)
            self._record_grade(graded, tip)
            self.board.regrade(graded)

    def _record_grade(self, graded: DeliverableGraded, tip: str) -> None:
        self.checks.log.record(graded, once=f"{graded.type} {tip} {graded.id} {graded.grade}")

    def _refuse(self, deliverable: Deliverable, tip: str, *, failed: int) -> None:
        refused = ClaimRefused(deliverable.id, deliverable.description, failed)
        self.checks.log.record(refused, once=f"{refused.type} {tip} {deliverable.id}")

    async def _failed_checks(
        self, deliverable: Deliverable, tip: str, when: CheckTiming
    ) -> list[FailedCheck]:
        failures = []
        for check in deliverable.checks:
            key = (deliverable.id, check.criterion, check.command)
            look = None if check.before else self.unknown_looks.get(key)
            program = "" if look is None else look.missing_program
            event = await self.checks.on_work(deliverable, check, tip, when, find_program=program)
            if not event.is_green:
                exit_code = event.evidence.exit_code
                failures.append(FailedCheck(deliverable.id, check, exit_code, event.output))
            elif look is not None and not event.missing_program:
                self._settle_look(look)
        return failures

    def _settle_look(self, look: CheckFinished) -> None:
        """A program that the work brought was missing before it, as it should be: that is red."""
        red = replace(look, inconclusive="", missing_program="")
        self.checks.log.record(red, once=f"settled {red.deliverable} {red.criterion}")
        self.board.set_before(red)

    async def _record_regression(self, failure: FailedCheck, tips: RoundCommits) -> None:
        name = failure.deliverable
        claim = next((d.claim for d in self.board.deliverables if d.id == name), None)
        event = await find_regression(self.checks, failure, claim.commit if claim else "", tips)
        key = f"{event.type} {tips[-1].commit} {event.deliverable} {event.criterion}"
        self.checks.log.record(event, once=key)

    async def _tests(
        self, tip: str, when: CheckTiming, accepted: Sequence[str]
    ) -> tuple[SuiteComparison, str]:
        """The comparison of the tests with the baseline, and the end of their output."""
        if self.suite is None or tip == self.suite_green_at:
            return SuiteComparison(), ""
        verdict = await self.suite.verify(tip, when, accepted)
        if isinstance(verdict, CommandStopped):
            raise VerificationStopped
        if TEST_COMMAND in verdict.comparison.known_red:
            self.checks.log.record(RunWarned(UNINFORMATIVE_TESTS), once="tests say nothing")
        self.suite_green_at = tip if verdict.comparison.passes else ""
        self.suite_grade = verdict.grade
        self.failing_tests = len(verdict.comparison.known_red) + len(verdict.comparison.objections)
        return verdict.comparison, verdict.output

    def _findings(
        self, failures: Sequence[FailedCheck], comparison: SuiteComparison, output: str
    ) -> VerificationFindings:
        tests = failures_text(comparison, output) if comparison.objections else ""
        green = {(each.deliverable, each.criterion) for each in self.checks.green}
        checks = [(d.id, check) for d in self.board.deliverables for check in d.checks]
        turned_green = [
            check
            for name, check in checks
            if check.before == "failed" and (name, check.criterion) in green
        ]
        return VerificationFindings(
            describe_failures(failures, tests),
            comparison.objections[:MAX_OBJECTIONS],
            green_checks=len(turned_green),
            failing_tests=self.failing_tests,
            shortfall=shortfall(self.board.deliverables, self.suite_grade, self.required),
            failing_checks=tuple(
                dict.fromkeys(f"{each.deliverable}: {each.check.command}" for each in failures)
            ),
        )
