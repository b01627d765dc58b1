"""A run: its workflow, why it ended, its exit code and its result."""

from dataclasses import dataclass
from typing import Literal

from treadle.domain.deliverable import Tally
from treadle.domain.usage import Usage

ExitReason = Literal[
    "interrupted",
    "cancelled",
    "authentication",
    "sandbox_error",
    "unguarded_tool",
    "quota_exceeded",
    "all_passed",
    "approved",
    "synced",
    "all_blocked",
    "spec_issue",
    "tests_failed",
    "budget_exceeded",
    "time_exceeded",
    "max_iterations",
    "stuck",
    "hung",
    "max_retries_exceeded",
    "error",
]

# Published in `treadle help` and docs/reference/exit-codes.md: numbers on the wire, never changed.
EXIT_CODES: dict[ExitReason, int] = {
    "all_passed": 0,
    "approved": 0,
    "synced": 0,
    "error": 1,
    "all_blocked": 3,
    "spec_issue": 3,
    "tests_failed": 3,
    "authentication": 4,
    "budget_exceeded": 5,
    "time_exceeded": 5,
    "max_iterations": 5,
    "stuck": 5,
    "hung": 5,
    "max_retries_exceeded": 5,
    "quota_exceeded": 6,
    "sandbox_error": 7,
    "unguarded_tool": 7,
    "interrupted": 130,
    "cancelled": 130,
}

LandingMode = Literal["auto", "ask", "never"]


@dataclass(frozen=True, slots=True)
class LandingChoice:
    """Whether finished work lands, and where the question is asked if there is one."""

    when: LandingMode = "auto"
    by_approval: bool = False


@dataclass(frozen=True, slots=True)
class RunResult:
    reason: ExitReason
    rounds: int
    tally: Tally
    cost_usd: float
    usage: Usage
    duration_s: float
    message: str = ""
    # False when part of the cost was counted at the dearest known price.
    priced: bool = True

    @property
    def succeeded(self) -> bool:
        return EXIT_CODES[self.reason] == 0
