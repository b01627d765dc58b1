"""What a run observes between two sessions: every input of a decision that can change. Types
only."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from treadle.domain.deliverable import Tally
from treadle.domain.limits import RunLimits
from treadle.session.stop_signal import StopReason


@dataclass(frozen=True, slots=True)
class Observation:
    """Made inside a step, so that a replay decides as before. Stored as a step result."""

    at: datetime
    tally: Tally
    # A hash of all criteria, independent of their status.
    criteria: str
    limits: RunLimits
    wait_for_quota: bool
    stopping: StopReason = ""
    # The cost of all other runs today.
    others_today_usd: float = 0.0
    # Whether passed work can be verified: there are checks or a test command.
    provable: bool = False
    # Rounds that try to repair failing tests before a person is asked.
    fix_rounds: int = 3
    # Whether the run ended before all claims were verified.
    unshown: bool = False
    # Whether the run claims passes, and left neither a commit nor a grade above claimed.
    only_words: bool = False
    # Whether its branch has commits, be it only those of the run that it continues.
    has_commits: bool = False
    # What this run has cost before today.
    before_today_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class RunInputs:
    """Where an observation gets its values from."""

    limits: Callable[[], RunLimits]
    wait_for_quota: bool
    stopping: Callable[[], StopReason]
    others_today_usd: Callable[[], float]
    fix_rounds: int = 3
    before_today_usd: Callable[[], float] = lambda: 0.0
    # Names that settings have for this workflow, by the general ones.
    own_names: Mapping[str, str] = field(default_factory=dict)


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
    # How far off that was when it was decided; None in a run of before this was noted.
    seconds: float | None = None
