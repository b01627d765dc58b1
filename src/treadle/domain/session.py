"""How a session ends: one outcome out of a closed set, with what it cost."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from treadle.domain.ids import SessionId
from treadle.domain.usage import Usage

# retryable: a new session may succeed (also after a full context window); rate_limited: retry
# after a pause; fatal: a retry would fail; authentication: a person must log in.
ErrorClass = Literal["retryable", "rate_limited", "fatal", "authentication"]
TimeLimit = Literal["first_byte", "idle", "tool", "wall"]


@dataclass(frozen=True, slots=True)
class Completed:
    summary: str
    type: Literal["completed"] = "completed"


@dataclass(frozen=True, slots=True)
class ExecutionError:
    message: str
    error_class: ErrorClass
    # The model service failed, not the request; counts for its breaker.
    of_service: bool = False
    # The status of the response that the service refused with, if one came.
    status: int | None = None
    type: Literal["execution_error"] = "execution_error"


@dataclass(frozen=True, slots=True)
class MaxTurns:
    turns: int
    type: Literal["max_turns"] = "max_turns"


@dataclass(frozen=True, slots=True)
class BudgetExceeded:
    limit_usd: float
    type: Literal["budget_exceeded"] = "budget_exceeded"


@dataclass(frozen=True, slots=True)
class QuotaExceeded:
    message: str
    resets_at: datetime | None
    # No reset brings it back: somebody must buy usage or allow it.
    lasts: bool = False
    type: Literal["quota_exceeded"] = "quota_exceeded"


@dataclass(frozen=True, slots=True)
class TimedOut:
    limit: TimeLimit
    after_s: float
    type: Literal["timeout"] = "timeout"


@dataclass(frozen=True, slots=True)
class Cancelled:
    type: Literal["cancelled"] = "cancelled"


@dataclass(frozen=True, slots=True)
class Crashed:
    message: str
    exit_code: int | None
    type: Literal["crashed"] = "crashed"


@dataclass(frozen=True, slots=True)
class SandboxError:
    """The sandbox could not be set up, or did not confine; nothing ran outside of it."""

    message: str
    type: Literal["sandbox_error"] = "sandbox_error"


@dataclass(frozen=True, slots=True)
class UnguardedTool:
    """The agent got a result from a tool use that was never allowed."""

    tool: str
    type: Literal["unguarded_tool"] = "unguarded_tool"


Outcome: TypeAlias = (
    Completed
    | ExecutionError
    | MaxTurns
    | BudgetExceeded
    | QuotaExceeded
    | TimedOut
    | Cancelled
    | Crashed
    | SandboxError
    | UnguardedTool
)


def was_kept_from_working(outcome: Outcome) -> bool:
    """Whether a session met its quota, an outage or a login that the service refused: it is no
    round, and the next session takes its place."""
    match outcome:
        case QuotaExceeded() | ExecutionError(of_service=True):
            return True
        case ExecutionError(error_class="authentication", status=status):
            return status is not None
        case _:
            return False


@dataclass(frozen=True, slots=True)
class SessionResult:
    session: SessionId
    outcome: Outcome
    cost_usd: float
    usage: Usage
    turns: int
    duration_s: float
    # False if the model has no known price, and the highest one was used.
    priced: bool = True
