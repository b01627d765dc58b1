"""What a run observes between two sessions: everything that decides and may change meanwhile."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from treadle.domain.deliverable import Tally
from treadle.domain.limits import RunLimits
from treadle.session.stop_signal import StopReason


@dataclass(frozen=True, slots=True)
class Observation:
    """Taken inside a step, so that a replay decides as before. Stored as a step result."""

    at: datetime
    tally: Tally
    # One hash over what is to be done, whatever of it is done already.
    criteria: str
    limits: RunLimits
    wait_for_quota: bool
    stopping: StopReason = ""
    # What all other runs have cost today.
    others_today_usd: float = 0.0
    # Whether there is anything by which passed work can be verified: checks, or a test command.
    provable: bool = False
    # Rounds that may try to repair failing tests before a person is asked.
    fix_rounds: int = 3
    # Whether the run had ended before all of its claims were verified.
    unshown: bool = False


@dataclass(frozen=True, slots=True)
class RunInputs:
    """Where an observation finds what is not the run's own."""

    limits: Callable[[], RunLimits]
    wait_for_quota: bool
    stopping: Callable[[], StopReason]
    others_today_usd: Callable[[], float]
    fix_rounds: int = 3


@dataclass(frozen=True, slots=True)
class Pacing:
    """How a run waits and retries."""

    delay_s: float
    backoff_s: float
    quota_margin_s: float


@dataclass(frozen=True, slots=True)
class RunPause:
    """A moment to wait for. Stored as a step result."""

    until: datetime
