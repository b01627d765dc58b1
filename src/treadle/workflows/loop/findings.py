"""What verification returns to the loop. Types only."""

from dataclasses import dataclass
from typing import TypeAlias

from treadle.domain.suite_report import SuiteObjection


@dataclass(frozen=True, slots=True)
class RoundCommit:
    """The commit that a round ended at; round 0 is where the run began."""

    round: int
    commit: str


RoundCommits: TypeAlias = tuple[RoundCommit, ...]


@dataclass(frozen=True, slots=True)
class VerificationFindings:
    """What did not hold, in words for the next session; tests that object; whether it was cut."""

    told: str = ""
    objections: tuple[SuiteObjection, ...] = ()
    stopped: bool = False
    # Nothing was claimed, so that nothing was found out about the work.
    idle: bool = False

    @property
    def hold(self) -> bool:
        return not (self.told or self.objections or self.stopped or self.idle)
