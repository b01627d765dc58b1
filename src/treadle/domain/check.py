"""Checks (commands that verify a criterion), their evidence, and file changes between commits."""

from dataclasses import dataclass
from typing import Literal

# spec: written down in the specification; agent: by the tool that creates deliverables; person: by
# `treadle check add`, or by hand in status.json.
CheckOrigin = Literal["spec", "agent", "person"]

# How a check ended on the tree before the work; empty while nobody has looked.
BeforeOutcome = Literal["", "failed", "passed"]


@dataclass(frozen=True, slots=True)
class Check:
    """A shell line that shows one criterion. No agent can change one that is written down."""

    criterion: str
    command: str
    origin: CheckOrigin = "agent"
    before: BeforeOutcome = ""

    @property
    def is_vacuous(self) -> bool:
        """It passed before the work was done, so that its passing says nothing about the work."""
        return self.before == "passed"


# before: on the tree before the work; after: on the work that was claimed; again: on all of it,
# before a run may succeed; bisect: to find the round that broke it; verify: by `treadle verify`.
CheckTiming = Literal["before", "after", "again", "bisect", "verify"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One run of a command on a committed tree, by Treadle itself. Its log is kept by its hash."""

    command: str
    when: CheckTiming
    commit: str
    tree: str
    # None: its time was over first.
    exit_code: int | None
    duration_s: float
    # Of what it ran in: a hash over sandbox, system, setup command, variables and programs.
    fingerprint: str
    # The SHA-256 of the whole log that was kept.
    log: str

    @property
    def is_green(self) -> bool:
        return self.exit_code == 0


FileChangeKind = Literal["added", "changed", "removed"]


@dataclass(frozen=True, slots=True)
class FileChange:
    """One path of the project; a file that was moved is one removed and one added."""

    path: str
    how: FileChangeKind
