"""Checks (commands that verify a criterion), their evidence, and file changes between commits."""

from dataclasses import dataclass
from typing import Literal

# spec: from the specification; agent: by the tool that creates deliverables; person: by `treadle
# check add`, or by hand in status.json.
CheckOrigin = Literal["spec", "agent", "person"]

# The result of a check on the tree before the work; empty until it is run there.
BeforeOutcome = Literal["", "failed", "passed"]


@dataclass(frozen=True, slots=True)
class Check:
    """A shell line that verifies one criterion. No agent can change a check that is recorded."""

    criterion: str
    command: str
    origin: CheckOrigin = "agent"
    before: BeforeOutcome = ""

    @property
    def is_vacuous(self) -> bool:
        """Whether it passed before the work, so that a pass says nothing about the work."""
        return self.before == "passed"


# before: on the tree before the work; after: on the work that was claimed; again: on all of it,
# before a run may succeed; bisect: to find the round that broke it; verify: by `treadle verify`.
CheckTiming = Literal["before", "after", "again", "bisect", "verify"]


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

    @property
    def is_green(self) -> bool:
        return self.exit_code == 0


FileChangeKind = Literal["added", "changed", "removed"]


@dataclass(frozen=True, slots=True)
class FileChange:
    """A changed path; a moved file is one removed and one added."""

    path: str
    how: FileChangeKind
