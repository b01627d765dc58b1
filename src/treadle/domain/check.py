"""Checks (commands that verify a criterion), their grades and evidence, and file changes."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

# claimed: nobody but the agent says so; self-tested: red before the work and green on it, by a
# judge that the agent wrote or changed; proven: by a judge that it did not. Lowest first.
Grade = Literal["claimed", "self-tested", "proven"]
RequiredGrade = Literal["self-tested", "proven"]
GRADES: tuple[Grade, ...] = ("claimed", "self-tested", "proven")


def lowest_grade(grades: Iterable[Grade]) -> Grade:
    """The lowest of these; without any, claimed."""
    return min(grades, key=GRADES.index, default="claimed")


def reaches(grade: Grade, required: RequiredGrade) -> bool:
    return GRADES.index(grade) >= GRADES.index(required)


# spec: from the specification; agent: by the tool that creates deliverables; person: by `treadle
# check add`, or by hand in status.json.
CheckOrigin = Literal["spec", "agent", "person"]

# The result of a check on the tree before the work; empty until it is run there.
BeforeOutcome = Literal["", "failed", "passed"]

# The result of a check on the pinned tree, which is the work with the judges of the base; empty
# until it is run there.
PinnedOutcome = Literal["", "failed", "passed"]


@dataclass(frozen=True, slots=True)
class Check:
    """A shell line that verifies one criterion. No agent can change a check that is recorded."""

    criterion: str
    command: str
    origin: CheckOrigin = "agent"
    before: BeforeOutcome = ""
    # On the work that passed.
    pinned: PinnedOutcome = ""
    # Why its grade is not higher, in one line.
    why: str = ""

    @property
    def grade(self) -> Grade:
        """The grade of a criterion that passes by this check."""
        if self.before != "failed":
            return "claimed"
        return "proven" if self.pinned == "passed" and self.origin != "agent" else "self-tested"

    @property
    def is_vacuous(self) -> bool:
        """Whether it passed before the work, so that a pass says nothing about the work."""
        return self.before == "passed"


# before: on the tree before the work; after: on the work that was claimed; again: on all of it,
# before a run may succeed; pinned: on the work with the judges of the base; bisect: on an earlier
# commit, to find the round that broke it or whether it is flaky; verify: by `treadle verify`.
CheckTiming = Literal["before", "after", "again", "pinned", "bisect", "verify"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One run of a command on a committed tree, by Treadle itself."""

    command: str
    when: CheckTiming
    commit: str
    tree: str
    # None: it timed out.
    exit_code: int | None
    duration_s: float
    # A hash of its environment: sandbox, system, setup command, variables and programs.
    fingerprint: str
    # The SHA-256 of its stored log.
    log: str
    # The commit whose judges were used instead of those of `commit`; empty: none.
    judges_of: str = ""

    @property
    def is_green(self) -> bool:
        return self.exit_code == 0


FileChangeKind = Literal["added", "changed", "removed"]


@dataclass(frozen=True, slots=True)
class FileChange:
    """A changed path; a moved file is one removed and one added."""

    path: str
    how: FileChangeKind
