"""What a run can do next: the results of a workflow's decision function. Types only."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from treadle.domain.events.run import Instruction
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.limits import RunLimits
from treadle.domain.session import ExecutionError


@dataclass(frozen=True, slots=True)
class RunSession:
    instruction: Instruction
    # continued: in the conversation of the last session with this instruction, if there is one.
    conversation: Literal["new", "continued"] = "new"


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
class AskAboutPlan:
    """The plan is made: a person approves it, or the time for an answer passes."""


@dataclass(frozen=True, slots=True)
class StopRun:
    reason: ExitReason
    message: str = ""


OngoingAction: TypeAlias = (
    RunSession | WaitForQuota | WaitForService | Reverify | AskAboutTests | AskAboutPlan
)
NextAction: TypeAlias = OngoingAction | StopRun


@dataclass(frozen=True, slots=True)
class DecisionRules:
    """What a decision depends on besides the progress."""

    limits: RunLimits
    wait_for_quota: bool
    fix_rounds: int = 3
