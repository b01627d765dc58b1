"""What a `deliver` run can decide to do next: the closed list of what `next_step` answers."""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from treadle.domain.events.run import Instruction
from treadle.domain.run import ExitReason


@dataclass(frozen=True, slots=True)
class Work:
    instruction: Instruction


@dataclass(frozen=True, slots=True)
class WaitForQuota:
    resets_at: datetime | None
    message: str


@dataclass(frozen=True, slots=True)
class ShowAgain:
    """All has passed: before the run may succeed, all of it is shown once more."""


@dataclass(frozen=True, slots=True)
class AskAboutTests:
    """Tests fail that did not before, and nobody could mend them: a person decides."""


@dataclass(frozen=True, slots=True)
class Stop:
    reason: ExitReason
    message: str = ""


Step: TypeAlias = Work | WaitForQuota | ShowAgain | AskAboutTests | Stop
