"""Verifies claims: runs checks and tests on commits, and sets statuses by the results."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import TypeAlias

from treadle.domain.check import Check, CheckTiming, FileChange
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.run import RunWarned
from treadle.domain.events.verification import CheckFinished, ClaimRefused, RegressionFound
from treadle.domain.ports import Log
from treadle.domain.suite_report import TEST_COMMAND
from treadle.verify.before_look import inconclusive_reason
from treadle.verify.check_runner import (
    CheckCommand,
    CheckRunner,
    CommandResult,
    CommandStopped,
)
from treadle.verify.command_files import find_changed_evidence
from treadle.verify.proof import proof_of
from treadle.verify.suite import failures_text
from treadle.verify.suite_comparison import SuiteComparison
from treadle.workflows.deliver.board import DeliverableBoard
from treadle.workflows.deliver.finding_text import FailedCheck, describe_failures
from treadle.workflows.loop.findings import RoundCommits, VerificationFindings
from treadle.workflows.loop.suite_verifier import SuiteVerifier

# They are stored with the step; a broken suite could have too many.
MAX_OBJECTIONS = 1000
UNINFORMATIVE_TESTS = (
    "the test command fails as it did before the work, so it says nothing about the work; see what"
    " it needs on a fresh checkout, such as project.setup"
)


CHECK_CHANGED = "{} can only be claimed, because its check was changed by the work: {}"
# Files named in the warning.
MAX_FILES = 5

# A check: its deliverable, criterion and command.
CheckKey: TypeAlias = tuple[str, str, str]


async def nothing_changed(before: str, after: str) -> Sequence[FileChange]:
    """No file differs between any two commits."""
    return ()


class VerificationStopped(Exception):
    """The run was asked to stop before everything was verified."""


@dataclass(slots=True)
class DeliverableVerifier:
    """Verifies the work of one run. `baseline` is the user's checkout when the run began, without
    unlanded work of earlier runs."""

    runner: CheckRunner
    board: DeliverableBoard
    # None: the project has no test command.
    suite: SuiteVerifier | None
    check_s: float
    log: Log
    baseline: str
    # Checks of pending deliverables to run before the work, where they must fail.
    checks_before_work: Callable[[], Sequence[tuple[str, Check]]]
    # Deliverables that must hold before the run succeeds.
    must_hold: Callable[[], Sequence[Deliverable]]
    # Checks that were green on the work.
    green: list[CheckFinished] = field(default_factory=list)
    # The last commit without objections of the tests.
    suite_green_at: str = ""
    # How many tests failed when they last ran; None if they did not run.
    failing_tests: int | None = None
    # Returns the files that differ between two commits.
    changes: Callable[[str, str], Awaitable[Sequence[FileChange]]] = nothing_changed
    # The commit on which each check first ran before the work; the baseline if unknown.
    first_commits: dict[CheckKey, str] = field(default_factory=dict)

    def is_due(self) -> bool:
        """Whether a round left anything to verify."""
        return bool(self.board.claims() or self.checks_before_work())

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
        except VerificationStopped:
            return VerificationFindings(stopped=True)
        for name in dict.fromkeys(failure.deliverable for failure in failures):
            self.board.reset_pass(name, "a check of it that was green is red")
        await self._reset_altered_checks(self.board.verifiable(), tip)
        return self._findings(failures, comparison, output)

    async def _run_before_work(self, commit: str) -> None:
        for name, check in self.checks_before_work():
            # One that could not run is tried again on the commit that it was meant for.
            key = (name, check.criterion, check.command)
            first = self.first_commits.setdefault(key, commit)
            result = await self._run(check.command, first, "before")
            why = inconclusive_reason(result)
            finished = CheckFinished(name, check.criterion, result.evidence, result.output, why)
            self.log.record(finished)
            before = finished.before_outcome
            self.board.set_before(name, check.criterion, before, command=check.command)

    async def _verify_claims(self, tip: str, accepted: Sequence[str]) -> VerificationFindings:
        claims = self.board.claims()
        if not claims:
            return VerificationFindings(idle=True)
        failures = {d.id: await self._failed_checks(d, tip, "after") for d in claims}
        comparison, output = await self._tests(tip, "after", accepted)
        self.board.drop_claims([name for name, failed in failures.items() if failed])
        for deliverable in claims:
            # A claim that only the tests reject stays open: a person may accept the failures.
            if not failures[deliverable.id] and comparison.passes:
                await self._reset_altered_checks([deliverable], tip)
                self.board.pass_deliverable(deliverable.id, tip, proof_of(deliverable))
            else:
                self._refuse(deliverable, tip, failed=len(failures[deliverable.id]))
        return self._findings(list(chain.from_iterable(failures.values())), comparison, output)

    async def _reset_altered_checks(self, passed: Sequence[Deliverable], tip: str) -> None:
        """Reset checks whose files the work changed: they never failed in their current form, so
        they prove nothing.

        A replay gives the same result, because only the first run of a check counts.
        """
        for deliverable in passed:
            for check in deliverable.checks:
                key = (deliverable.id, check.criterion, check.command)
                if check.before != "failed":
                    continue
                changes = await self.changes(self.first_commits.get(key) or self.baseline, tip)
                if files := find_changed_evidence(check.command, changes):
                    self.board.reset_check(deliverable.id, check)
                    names = ", ".join(files[:MAX_FILES])
                    warning = RunWarned(CHECK_CHANGED.format(deliverable.id, names))
                    self.log.record(warning, once=f"altered {deliverable.id} {check.criterion}")

    def _refuse(self, deliverable: Deliverable, tip: str, *, failed: int) -> None:
        refused = ClaimRefused(deliverable.id, deliverable.description, failed)
        self.log.record(refused, once=f"{refused.type} {tip} {deliverable.id}")

    async def _failed_checks(
        self, deliverable: Deliverable, tip: str, when: CheckTiming
    ) -> list[FailedCheck]:
        """The checks of a deliverable that fail; those that were green here do not run again."""
        failures = []
        for check in deliverable.checks:
            green = self._green_on(check.command, tip)
            if green is None:
                result = await self._run(check.command, tip, when)
                event = CheckFinished(
                    deliverable.id, check.criterion, result.evidence, result.output
                )
            else:
                event = replace(green, deliverable=deliverable.id, criterion=check.criterion)
            if event in self.green:
                continue
            self.log.record(event)
            if event.evidence.is_green:
                self.green.append(event)
            else:
                exit_code = event.evidence.exit_code
                failures.append(FailedCheck(deliverable.id, check, exit_code, event.output))
        return failures

    def _green_on(self, command: str, commit: str) -> CheckFinished | None:
        for event in self.green:
            if (event.evidence.command, event.evidence.commit) == (command, commit):
                return event
        return None

    async def _record_regression(self, failure: FailedCheck, tips: RoundCommits) -> None:
        """Record which round broke the check, searched since its pass."""
        name = failure.deliverable
        claim = next((d.claim for d in self.board.deliverables if d.id == name), None)
        commits = [tip.commit for tip in tips]
        start = commits.index(claim.commit) if claim and claim.commit in commits else None
        broken_by = None
        if start is not None:
            rounds = [(tip.round, tip.commit) for tip in tips[start:]]
            is_green = partial(self._is_green, failure)
            broken_by = await find_breaking_round(rounds, is_green)
        event = RegressionFound(name, failure.check.criterion, broken_by)
        key = f"{event.type} {commits[-1]} {event.deliverable} {event.criterion}"
        self.log.record(event, once=key)

    async def _is_green(self, failure: FailedCheck, commit: str) -> bool:
        command = failure.check.command
        if self._green_on(command, commit) is not None:
            return True
        result = await self._run(command, commit, "bisect")
        self.log.record(
            CheckFinished(
                failure.deliverable, failure.check.criterion, result.evidence, result.output
            )
        )
        return result.evidence.is_green

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
            self.log.record(RunWarned(UNINFORMATIVE_TESTS), once="tests say nothing")
        self.suite_green_at = tip if verdict.comparison.passes else ""
        self.failing_tests = len(verdict.comparison.known_red) + len(verdict.comparison.objections)
        return verdict.comparison, verdict.output

    def _findings(
        self, failures: Sequence[FailedCheck], comparison: SuiteComparison, output: str
    ) -> VerificationFindings:
        tests = failures_text(comparison, output) if comparison.objections else ""
        green = {(each.deliverable, each.criterion) for each in self.green}
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
        )

    async def _run(self, command: str, commit: str, when: CheckTiming) -> CommandResult:
        result = await self.runner.run(CheckCommand(command, commit, when, self.check_s))
        if isinstance(result, CommandStopped):
            raise VerificationStopped
        return result


async def find_breaking_round(
    tips: Sequence[tuple[int, str]], is_green: Callable[[str], Awaitable[bool | None]]
) -> int | None:
    """Return the first round whose commit is red, or None if `is_green` cannot decide.

    `tips` lists rounds with their last commits, oldest first. The commit before the first round
    is known to be green and the last one red, so neither is run. Rounds that end at the same
    commit as the round before are skipped.
    """
    commits = _without_repeats(tips)
    if not commits:
        return None
    green, red = -1, len(commits) - 1
    while red - green > 1:
        middle = (green + red) // 2
        result = await is_green(commits[middle][1])
        if result is None:
            return None
        if result:
            green = middle
        else:
            red = middle
    return commits[red][0]


def _without_repeats(tips: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    commits: list[tuple[int, str]] = []
    for number, commit in tips:
        if not commits or commits[-1][1] != commit:
            commits.append((number, commit))
    return commits
