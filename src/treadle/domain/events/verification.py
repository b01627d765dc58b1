"""Events of verification: checks, tests, and changes to evidence files."""

from dataclasses import dataclass
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
    # How many of its checks are red; 0: the tests fail, or criteria have no check.
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
    type: Literal["check.finished"] = "check.finished"

    @property
    def before_outcome(self) -> BeforeOutcome:
        """What a run before the work says about its check; empty if it says nothing."""
        if self.inconclusive:
            return ""
        return "passed" if self.evidence.is_green else "failed"


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


@dataclass(frozen=True, slots=True)
class SuiteGraded:
    """The tests on the work got their grade; `why` says in one line why it is not higher.

    `judge` wrote them: a person, or the agent of the run.
    """

    commit: str
    grade: Grade
    judge: Literal["person", "agent", ""]
    why: str = ""
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


# The kinds of files that the work is judged by; check: a file that a check's command uses.
EvidenceFileKind = Literal["specification", "tests", "ci", "lint", "coverage", "check"]


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
