"""Events of verification: checks, tests, and changes to evidence files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from treadle.domain.check import BeforeOutcome, Check, CheckOrigin, Evidence, Grade, PinnedOutcome
from treadle.domain.suite_report import CaseCounts, SuiteObjection


@dataclass(frozen=True, slots=True)
class CheckAdded:
    """A criterion of an existing deliverable got a check; or its check was reset, because the work
    changed a file that the check uses, and it has not failed in this form yet."""

    deliverable: str
    check: Check
    type: Literal["check.added"] = "check.added"


@dataclass(frozen=True, slots=True)
class DeliverableClaimed:
    """The agent claims that a deliverable is finished; its checks must verify it."""

    id: str
    description: str
    type: Literal["deliverable.claimed"] = "deliverable.claimed"


@dataclass(frozen=True, slots=True)
class ClaimRefused:
    """A claimed deliverable stays pending: checks or tests fail, or a check is missing."""

    id: str
    description: str
    # How many of its checks fail; 0: the tests fail, or criteria have no check.
    red: int
    # How many of its criteria have no check, if checks are required.
    unchecked: int = 0
    type: Literal["claim.refused"] = "claim.refused"


@dataclass(frozen=True, slots=True)
class CheckFinished:
    """Treadle ran a check on a committed tree; `output` is the end of its output.

    `inconclusive` is why the result says nothing about the project; empty if it does.
    """

    deliverable: str
    criterion: str
    evidence: Evidence
    output: str
    inconclusive: str = ""
    # On the pinned tree: the files that the work changed or added and that the check read.
    read_files: tuple[str, ...] = ()
    # Why it is red although it ended with exit code 0: its test runner did not report its end.
    unfinished: str = ""
    # Before the work: a program that was not found, and that may be the work itself.
    missing_program: str = ""
    type: Literal["check.finished"] = "check.finished"

    @property
    def is_green(self) -> bool:
        return self.evidence.is_green and not self.unfinished

    @property
    def before_outcome(self) -> BeforeOutcome:
        """What a run before the work says about its check; empty if it says nothing."""
        if self.inconclusive:
            return ""
        return "passed" if self.is_green else "failed"

    def with_outcome_before(self, check: Check) -> Check:
        """The check with its outcome before the work, or why there is none."""
        why = f"it could not be run before the work: {self.inconclusive}"
        return replace(
            check, before=self.before_outcome, pinned="", why=why if self.inconclusive else ""
        )


@dataclass(frozen=True, slots=True)
class CriterionGrade:
    """The grade of one criterion. `judge` wrote what judges it; empty: nobody but the agent says
    so. `why` says in one line why the grade is not higher."""

    criterion: str
    grade: Grade
    judge: CheckOrigin | Literal[""] = ""
    pinned: PinnedOutcome = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class DeliverableGraded:
    """A verified deliverable got its grade: the lowest of its criteria, or lower with the reason
    in `why`."""

    id: str
    grade: Grade
    criteria: tuple[CriterionGrade, ...]
    why: str = ""
    type: Literal["deliverable.graded"] = "deliverable.graded"

    def with_grades(self, checks: Sequence[Check]) -> tuple[Check, ...]:
        """The checks with their results on the pinned tree."""
        found = {each.criterion: each for each in self.criteria}
        return tuple(
            replace(check, pinned=found[check.criterion].pinned, why=found[check.criterion].why)
            if check.criterion in found
            else check
            for check in checks
        )


@dataclass(frozen=True, slots=True)
class SuiteGraded:
    """The tests on the work got their grade; `why` says in one line why it is not higher.

    `judge` wrote them: a person, or the agent of the run.
    """

    commit: str
    grade: Grade
    judge: Literal["person", "agent", ""]
    why: str = ""
    # Tests of the user that fail with the work as they were before it.
    failing: tuple[str, ...] = ()
    type: Literal["suite.graded"] = "suite.graded"


@dataclass(frozen=True, slots=True)
class RegressionFound:
    """A check that was green is red; `round` is the round that broke it, if known."""

    deliverable: str
    criterion: str
    round: int | None
    type: Literal["regression.found"] = "regression.found"


@dataclass(frozen=True, slots=True)
class SuiteFinished:
    """Treadle ran the test command on a committed tree; without objections the tests pass."""

    evidence: Evidence
    counts: tuple[CaseCounts, ...]
    coverage: float | None
    objections: tuple[SuiteObjection, ...]
    # Tests that were red before the work, and tests with changing results.
    known_red: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    output: str = ""
    # Objections that a person accepted.
    accepted: tuple[SuiteObjection, ...] = ()
    type: Literal["suite.finished"] = "suite.finished"


# The kinds of files that the work is judged by; check: a file that a check's command uses;
# runner: what test runners, interpreters and build tools load by themselves.
EvidenceFileKind = Literal["specification", "tests", "ci", "lint", "coverage", "check", "runner"]


@dataclass(frozen=True, slots=True)
class TouchedFile:
    """A changed file that the work is judged by."""

    path: str
    judge: EvidenceFileKind
    change: Literal["added", "changed", "removed"]
    # What got weaker in it, such as `3 assertions fewer, 1 skip added`; empty if nothing did.
    weaker: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceTouched:
    """The work changed files that it is judged by: a person should look at these first."""

    files: tuple[TouchedFile, ...]
    # Tests that are gone, skipped or empty now, and assertions that are gone, in all files.
    tests_lost: int = 0
    assertions_lost: int = 0
    # Assertions in all tests before the work; None if too few are gone to count them.
    assertions_before: int | None = None
    type: Literal["evidence.touched"] = "evidence.touched"
