"""The limits of a run and of a session; none can be disabled."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunLimits:
    """The limits of a whole run.

    Stored in events and in steps: a new field needs a default, or older runs cannot be read.
    """

    max_cost_usd: float
    max_minutes: float
    max_iterations: int
    max_retries: int
    # For all runs together, from midnight to midnight.
    day_cost_usd: float = 100.0
    # Rounds without progress, and repetitions of the same failure: see `workflows/loop/stuck.py`.
    stuck_rounds: int = 5
    stuck_repeats: int = 3
    # Hours that a run waits for a model service that fails.
    outage_hours: float = 6.0


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """The limits of one session."""

    max_cost_usd: float
    max_turns: int
    wall_s: float
    first_byte_s: float
    idle_s: float
    tool_s: float
