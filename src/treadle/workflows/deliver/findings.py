"""What verification looks at and what it finds out, as the story of a run knows it. Types only."""

from dataclasses import dataclass
from typing import TypeAlias

from treadle.domain.testing import Objection


@dataclass(frozen=True, slots=True)
class Tip:
    """The commit that a round ended at; round 0 is where the run began."""

    round: int
    commit: str


Tips: TypeAlias = tuple[Tip, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """What did not hold, in words for the next session; tests that object; whether it was cut."""

    told: str = ""
    objections: tuple[Objection, ...] = ()
    stopped: bool = False
    # Nothing was claimed, so that nothing was found out about the work.
    idle: bool = False

    @property
    def hold(self) -> bool:
        return not (self.told or self.objections or self.stopped or self.idle)
