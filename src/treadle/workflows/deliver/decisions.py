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
class Stop:
    reason: ExitReason
    message: str = ""


Step: TypeAlias = Work | WaitForQuota | Stop
