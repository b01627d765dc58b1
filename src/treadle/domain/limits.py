"""The ceilings of a run and of a session: every one of them always on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunLimits:
    """The ceilings of a whole run. There is no value that switches one off."""

    max_cost_usd: float
    max_minutes: float
    max_iterations: int
    max_retries: int


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """The ceilings of one session, all of them always on."""

    max_cost_usd: float
    max_turns: int
    wall_s: float
    first_byte_s: float
    idle_s: float
    tool_s: float
