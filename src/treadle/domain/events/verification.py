"""Events of verification: checks, tests, and changes to evidence files."""

from dataclasses import dataclass
from typing import Literal

from treadle.domain.check import Check, Evidence
from treadle.domain.suite_report import CaseCounts, SuiteObjection


@dataclass(frozen=True, slots=True)
class CheckAdded:
    """A criterion of a deliverable got a check after the deliverable was written down; the one that
    it had, if the work changed a file that it judges by: as it is, nobody has seen it fail."""

    deliverable: str
    check: Check
    type: Literal["check.added"] = "check.added"


@dataclass(frozen=True, slots=True)
class DeliverableClaimed:
    """The agent says that a deliverable is finished; its checks have to show it."""

    id: str
    description: str
    type: Literal["deliverable.claimed"] = "deliverable.claimed"


@dataclass(frozen=True, slots=True)
class ClaimRefused:
    """What the agent claimed stays pending: checks or tests object, or a check is missing."""

    id: str
    description: str
    # How many of its checks are red; none: the tests object, or criteria are unchecked.
    red: int
    # How many of its criteria have no check, where every one must have one.
    unchecked: int = 0
    type: Literal["claim.refused"] = "claim.refused"


@dataclass(frozen=True, slots=True)
class CheckFinished:
    """Treadle ran a check on a committed tree; `output` is the end of what it said."""

    deliverable: str
    criterion: str
    evidence: Evidence
    output: str
    type: Literal["check.finished"] = "check.finished"


@dataclass(frozen=True, slots=True)
class RegressionFound:
    """A check that was green is red; the round that broke it, if that could be told."""

    deliverable: str
    criterion: str
    round: int | None
    type: Literal["regression.found"] = "regression.found"


@dataclass(frozen=True, slots=True)
class SuiteFinished:
    """Treadle ran the test command on a committed tree; without objections the gate is open."""

    evidence: Evidence
    counts: tuple[CaseCounts, ...]
    coverage: float | None
    objections: tuple[SuiteObjection, ...]
    # Red before the work as well, and red at one time and green at another.
    known_red: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    output: str = ""
    # What would keep the gate shut, had a person not accepted it.
    accepted: tuple[SuiteObjection, ...] = ()
    type: Literal["suite.finished"] = "suite.finished"


# What judges the work, by what it is; the specification holds checks, and says what is wanted.
# check: a file that the command of a check goes by.
EvidenceFileKind = Literal["specification", "tests", "ci", "lint", "coverage", "check"]


@dataclass(frozen=True, slots=True)
class TouchedFile:
    """A changed file that judges the work."""

    path: str
    judge: EvidenceFileKind
    change: Literal["added", "changed", "removed"]


@dataclass(frozen=True, slots=True)
class EvidenceTouched:
    """The work changed files by which it is judged: a person should look at these first."""

    files: tuple[TouchedFile, ...]
    type: Literal["evidence.touched"] = "evidence.touched"
