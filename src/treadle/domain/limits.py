"""The limits of a run and of a session; none can be switched off."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunLimits:
    """The ceilings of a whole run. There is no value that switches one off.

    Stored in events and in steps: a new field needs a default, or older runs cannot be read.
    """

    max_cost_usd: float
    max_minutes: float
    max_iterations: int
    max_retries: int
    # Of all runs together, from midnight to midnight.
    day_cost_usd: float = 100.0
    # Rounds without progress, and the same mishap over and over: see `workflows/deliver/stuck.py`.
    stuck_rounds: int = 5
    stuck_repeats: int = 3


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """The ceilings of one session, all of them always on."""

    max_cost_usd: float
    max_turns: int
    wall_s: float
    first_byte_s: float
    idle_s: float
    tool_s: float
