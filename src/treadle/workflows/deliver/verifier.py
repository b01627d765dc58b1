"""Verifies claims: runs checks and tests on committed trees, and turns a status by the result."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from treadle.domain.check import BeforeOutcome, Check, CheckTiming, FileChange
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.run import RunWarned
from treadle.domain.events.verification import CheckFinished, ClaimRefused, RegressionFound
from treadle.domain.ports import Log
from treadle.verify.bisect import find_breaking_round
from treadle.verify.check_runner import (
    CheckCommand,
    CheckRunner,
    CommandResult,
    CommandStopped,
)
from treadle.verify.command_files import find_changed_evidence
from treadle.verify.proof import proof_of
from treadle.verify.suite import failures_text
from treadle.verify.suite_comparison import TEST_COMMAND, SuiteComparison
from treadle.workflows.deliver.board import DeliverableBoard
from treadle.workflows.deliver.finding_text import FailedCheck, describe_failures
from treadle.workflows.loop.findings import RoundCommits, VerificationFindings
from treadle.workflows.loop.suite_verifier import SuiteVerifier

# They are kept with the step that found them; nobody reads as many as a broken suite can have.
MOST_OBJECTIONS = 1000
SAYS_NOTHING = (
    "the test command fails as it did before the work, so it says nothing about the work; see what"
    " it needs on a fresh checkout, such as project.setup"
)


ALTERED = "{} can only be claimed, because its check was changed by the work: {}"
# Of those that are named in it.
MOST_FILES = 5

# A check: its deliverable, criterion and command.
CheckKey: TypeAlias = tuple[str, str, str]


async def nothing_changed(before: str, after: str) -> Sequence[FileChange]:
    """No file differs between any two commits."""
    return ()


class VerificationStopped(Exception):
    """The run was asked to stop before everything was verified."""


@dataclass(slots=True)
class DeliverableVerifier:
    """One run's verification. `baseline` is the commit of what the user saw: what was red there is
    known, whatever earlier runs have left on top of it."""

    runner: CheckRunner
    board: DeliverableBoard
    # None: the project has no test command.
    suite: SuiteVerifier | None
    check_s: float
    log: Log
    baseline: str
    # Checks of pending work to run on the tree before it, where they must fail.
    checks_before_work: Callable[[], Sequence[tuple[str, Check]]]
    # What must hold before the run may succeed.
    must_hold: Callable[[], Sequence[Deliverable]]
    # What was green on the work already.
    green: list[CheckFinished] = field(default_factory=list)
    # Where the tests had no objections last.
    suite_green_at: str = ""
    # Which files differ between two commits.
    changes: Callable[[str, str], Awaitable[Sequence[FileChange]]] = nothing_changed
    # Where each check was run first, before the work; of one of an earlier run it is the baseline.
    seen_at: dict[CheckKey, str] = field(default_factory=dict)

    def is_due(self) -> bool:
        """Whether a round left anything to verify."""
        return bool(self.board.claims() or self.checks_before_work())

    def can_verify(self) -> bool:
        """Whether passed work can be verified at all."""
        return self.suite is not None or any(d.checks for d in self.board.deliverables)

    async def verify_round(
        self, before: str, tip: str, accepted: Sequence[str]
    ) -> VerificationFindings:
        """Checks first where they must fail, then the claims; only what holds is passed."""
        try:
            await self._run_before_work(before)
            return await self._verify_claims(tip, accepted)
        except VerificationStopped:
            self.board.drop_claims([d.id for d in self.board.claims()])
            return VerificationFindings(stopped=True)

    async def reverify(self, tips: RoundCommits, accepted: Sequence[str]) -> VerificationFindings:
        """Everything that has passed, on the last of the tips; what broke is pending again."""
        tip = tips[-1].commit
        try:
            reds: list[FailedCheck] = []
            for deliverable in self.must_hold():
                reds += await self._failed_checks(deliverable, tip, "again")
            for red in reds:
                await self._record_regression(red, tips)
            judged, printed = await self._tests(tip, "again", accepted)
        except VerificationStopped:
            return VerificationFindings(stopped=True)
        for name in dict.fromkeys(red.deliverable for red in reds):
            self.board.set_broken(name, "a check of it that was green is red")
        await self._reset_altered_checks(self.board.verifiable(), tip)
        return _findings(reds, judged, printed)

    async def _run_before_work(self, commit: str) -> None:
        for name, check in self.checks_before_work():
            ran = await self._run(check.command, commit, "before")
            self.log.record(CheckFinished(name, check.criterion, ran.evidence, ran.output))
            self.seen_at.setdefault((name, check.criterion, check.command), commit)
            before: BeforeOutcome = "passed" if ran.evidence.is_green else "failed"
            self.board.set_before(name, check.criterion, before, command=check.command)

    async def _verify_claims(self, tip: str, accepted: Sequence[str]) -> VerificationFindings:
        claims = self.board.claims()
        if not claims:
            return VerificationFindings(idle=True)
        reds = {d.id: await self._failed_checks(d, tip, "after") for d in claims}
        judged, printed = await self._tests(tip, "after", accepted)
        self.board.drop_claims([name for name, found in reds.items() if found])
        for deliverable in claims:
            # What only the tests object to stays claimed: a person may yet accept them.
            if not reds[deliverable.id] and judged.passes:
                await self._reset_altered_checks([deliverable], tip)
                self.board.pass_deliverable(deliverable.id, tip, proof_of(deliverable))
            else:
                self._refuse(deliverable, tip, red=len(reds[deliverable.id]))
        return _findings([red for found in reds.values() for red in found], judged, printed)

    async def _reset_altered_checks(self, passed: Sequence[Deliverable], tip: str) -> None:
        """A check that the work changed was never seen to fail as it is now, so it proves nothing.

        Replay gives the same result, because only the first run of a check counts.
        """
        for deliverable in passed:
            for check in deliverable.checks:
                seen = self.seen_at.get((deliverable.id, check.criterion, check.command))
                if check.before != "failed":
                    continue
                changes = await self.changes(seen or self.baseline, tip)
                if files := find_changed_evidence(check.command, changes):
                    self.board.reset_check(deliverable.id, check)
                    told = RunWarned(ALTERED.format(deliverable.id, ", ".join(files[:MOST_FILES])))
                    self.log.record(told, once=f"altered {deliverable.id} {check.criterion}")

    def _refuse(self, deliverable: Deliverable, tip: str, *, red: int) -> None:
        refused = ClaimRefused(deliverable.id, deliverable.description, red)
        self.log.record(refused, once=f"{refused.type} {tip} {deliverable.id}")

    async def _failed_checks(
        self, deliverable: Deliverable, tip: str, when: CheckTiming
    ) -> list[FailedCheck]:
        """What of a deliverable does not hold; what was green on this commit is not run again."""
        found = []
        for check in deliverable.checks:
            known = self._known(check.command, tip)
            if known is None:
                ran = await self._run(check.command, tip, when)
                seen = CheckFinished(deliverable.id, check.criterion, ran.evidence, ran.output)
            else:
                seen = replace(known, deliverable=deliverable.id, criterion=check.criterion)
            if seen in self.green:
                continue
            self.log.record(seen)
            if seen.evidence.is_green:
                self.green.append(seen)
            else:
                found.append(
                    FailedCheck(deliverable.id, check, seen.evidence.exit_code, seen.output)
                )
        return found

    def _known(self, command: str, commit: str) -> CheckFinished | None:
        for seen in self.green:
            if (seen.evidence.command, seen.evidence.commit) == (command, commit):
                return seen
        return None

    async def _record_regression(self, red: FailedCheck, tips: RoundCommits) -> None:
        """Which round broke it, searched among those since it was green."""
        since = next((d.claim for d in self.board.deliverables if d.id == red.deliverable), None)
        commits = [tip.commit for tip in tips]
        start = commits.index(since.commit) if since and since.commit in commits else None
        broke = None
        if start is not None:
            rounds = [(tip.round, tip.commit) for tip in tips[start:]]
            broke = await find_breaking_round(rounds, lambda commit: self._is_green(red, commit))
        found = RegressionFound(red.deliverable, red.check.criterion, broke)
        key = f"{found.type} {commits[-1]} {found.deliverable} {found.criterion}"
        self.log.record(found, once=key)

    async def _is_green(self, red: FailedCheck, commit: str) -> bool:
        command = red.check.command
        if self._known(command, commit) is not None:
            return True
        ran = await self._run(command, commit, "bisect")
        self.log.record(
            CheckFinished(red.deliverable, red.check.criterion, ran.evidence, ran.output)
        )
        return ran.evidence.is_green

    async def _tests(
        self, tip: str, when: CheckTiming, accepted: Sequence[str]
    ) -> tuple[SuiteComparison, str]:
        """What the tests say about the work, and the end of what they printed."""
        if self.suite is None or tip == self.suite_green_at:
            return SuiteComparison(), ""
        gated = await self.suite.verify(tip, when, accepted)
        if isinstance(gated, CommandStopped):
            raise VerificationStopped
        if TEST_COMMAND in gated.judged.known_red:
            self.log.record(RunWarned(SAYS_NOTHING), once="tests say nothing")
        self.suite_green_at = tip if gated.judged.passes else ""
        return gated.judged, gated.output

    async def _run(self, command: str, commit: str, when: CheckTiming) -> CommandResult:
        ran = await self.runner.run(CheckCommand(command, commit, when, self.check_s))
        if isinstance(ran, CommandStopped):
            raise VerificationStopped
        return ran


def _findings(
    reds: Sequence[FailedCheck], judged: SuiteComparison, printed: str
) -> VerificationFindings:
    tests = failures_text(judged, printed) if judged.objections else ""
    return VerificationFindings(describe_failures(reds, tests), judged.objections[:MOST_OBJECTIONS])
