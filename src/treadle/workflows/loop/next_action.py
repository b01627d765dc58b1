"""What a run can do next: the results of a workflow's decision function. Types only."""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from treadle.domain.events.run import Instruction
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.limits import RunLimits
from treadle.domain.session import ExecutionError


@dataclass(frozen=True, slots=True)
class RunSession:
    instruction: Instruction


@dataclass(frozen=True, slots=True)
class WaitForQuota:
    resets_at: datetime | None
    message: str


@dataclass(frozen=True, slots=True)
class WaitForService:
    """The model service failed, or refused the login for the first time."""

    failure: ExecutionError


@dataclass(frozen=True, slots=True)
class Reverify:
    """Everything has passed: verify all of it once more before the run succeeds."""


@dataclass(frozen=True, slots=True)
class AskAboutTests:
    """New test failures could not be repaired: a person decides."""


@dataclass(frozen=True, slots=True)
class StopRun:
    reason: ExitReason
    message: str = ""


NextAction: TypeAlias = (
    RunSession | WaitForQuota | WaitForService | Reverify | AskAboutTests | StopRun
)


@dataclass(frozen=True, slots=True)
class DecisionRules:
    """What a decision depends on besides the progress."""

    limits: RunLimits
    wait_for_quota: bool
    fix_rounds: int = 3
