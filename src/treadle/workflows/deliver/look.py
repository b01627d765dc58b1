"""What a run sees between two sessions: everything that decides and could change meanwhile."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from treadle.domain.deliverable import Tally
from treadle.domain.limits import RunLimits

# How a run is asked to end before its time.
Stopping = Literal["", "interrupted", "cancelled"]


@dataclass(frozen=True, slots=True)
class Look:
    """Taken inside a step, so that a story told again decides as it did."""

    at: datetime
    tally: Tally
    # One hash over what is to be done, whatever of it is done already.
    criteria: str
    limits: RunLimits
    wait_for_quota: bool
    stopping: Stopping = ""
    # What all other runs have cost today.
    others_today_usd: float = 0.0
    # Whether there is anything by which passed work can be shown: checks, or a test command.
    provable: bool = False
    # Rounds that may try to mend failing tests before a person is asked.
    fix_rounds: int = 3
    # Whether the run was ended before all that was claimed in it was shown.
    unshown: bool = False


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a look finds what is not the run's own."""

    limits: Callable[[], RunLimits]
    wait_for_quota: bool
    stopping: Callable[[], Stopping]
    others_today_usd: Callable[[], float]
    fix_rounds: int = 3
