"""What verification returns to the loop. Types only."""

from dataclasses import dataclass
from typing import TypeAlias

from treadle.domain.suite_report import SuiteObjection


@dataclass(frozen=True, slots=True)
class RoundCommit:
    """The commit that a round ended at; round 0 is the start of the run."""

    round: int
    commit: str


RoundCommits: TypeAlias = tuple[RoundCommit, ...]


@dataclass(frozen=True, slots=True)
class VerificationFindings:
    """`told` describes to the next session what failed; `stopped`: verification did not finish."""

    told: str = ""
    objections: tuple[SuiteObjection, ...] = ()
    stopped: bool = False
    # Nothing was claimed, so nothing was verified.
    idle: bool = False
    # Checks that failed before the work and have been green on it, and tests that fail; None if
    # the tests did not run.
    green_checks: int = 0
    failing_tests: int | None = None
    # Why what holds has not the grade that the run requires; empty if it has.
    shortfall: str = ""
    # The checks that fail, each once; None in a result that an earlier version stored.
    failing_checks: tuple[str, ...] | None = None

    @property
    def hold(self) -> bool:
        return not (self.told or self.objections or self.stopped or self.idle)
