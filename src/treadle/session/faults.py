"""What a fault of the agent means: the session's outcome, and the pause before a retry.

The names and messages of an agent's errors are in the record of its kind.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from treadle.domain.agent import SANDBOX_FAULT, Fault
from treadle.domain.diagnosis import (
    MODEL_UNAVAILABLE,
    NO_CREDIT,
    OUTAGE,
    RATE_LIMITED,
    REQUEST_REFUSED,
    RETRY,
    SCRIPT_FAILED,
    Diagnosis,
    FaultTable,
)
from treadle.domain.events.agent import ToolFinished
from treadle.domain.session import (
    Crashed,
    ExecutionError,
    Outcome,
    QuotaExceeded,
    SandboxError,
    UnguardedTool,
)
from treadle.session.quota_messages import find_quota

# A malformed request comes from the conversation (a broken tool result, too large an image), so a
# new session may succeed; the retry limit bounds the attempts.
_BY_STATUS: dict[int, Diagnosis] = {
    400: RETRY,
    402: NO_CREDIT,
    404: MODEL_UNAVAILABLE,
    408: OUTAGE,
    409: RETRY,
    413: RETRY,
    422: RETRY,
    425: RETRY,
    429: RATE_LIMITED,
}

_LOGIN_REFUSED = frozenset({401, 403})

# Text is the last resort, and only the start of the message: the rest may be anything.
_SEARCHED_CHARACTERS = 400
_REHEARSAL = "rehearsal failed: "
_NOT_STARTABLE = frozenset({126, 127})


@dataclass(frozen=True, slots=True)
class _BackoffPace:
    """How pauses grow: the first one as a multiple of the setting, and the longest."""

    factor: float
    cap_s: float


_RETRYABLE = _BackoffPace(factor=1.0, cap_s=300.0)
_RATE_LIMITED = _BackoffPace(factor=6.0, cap_s=900.0)
_LONGEST_ASKED_S = 24 * 3600.0


def diagnose(fault: Fault, table: FaultTable) -> Diagnosis:
    """What a fault means. The first match wins, typed fields before message texts."""
    if _REHEARSAL in fault.message[:_SEARCHED_CHARACTERS]:
        return SCRIPT_FAILED
    if fault.terminal_reason in table.by_reason:
        return table.by_reason[fault.terminal_reason]
    if fault.error in table.by_error:
        return table.by_error[fault.error]
    status = fault.api_status or _status_in_message(fault.message, table)
    by_message = _diagnose_message(fault, table)
    if by_message is not None and status in (None, 400):
        return by_message
    if status is not None:
        return _diagnose_status(status, table)
    if fault.exit_code in _NOT_STARTABLE or _is_unusable_program(fault, table):
        return table.install
    return table.by_subtype.get(fault.subtype, RETRY)


def pause_after(
    outcome: Outcome,
    attempt: int,
    *,
    base_s: float,
    jitter: float,
    retry_after_s: float | None = None,
) -> float:
    """Seconds between a failed session and the next; `attempt` counts the failures in a row.

    Rate limits get longer pauses than failures. A requested pause is waited in full, plus some
    jitter so that not all runs retry at once.
    """
    pace = _RATE_LIMITED if _is_rate_limited(outcome) else _RETRYABLE
    # Never less than half of the ceiling: an immediate retry would fail again.
    jitter_share = 0.5 + min(max(jitter, 0.0), 1.0) / 2
    backoff_s = backoff(attempt, base_s=base_s * pace.factor, cap_s=pace.cap_s, jitter=jitter_share)
    requested_s = min(max(retry_after_s or 0.0, 0.0), _LONGEST_ASKED_S)
    return max(backoff_s, requested_s * (1 + jitter / 10))


def backoff(attempt: int, *, base_s: float, cap_s: float, jitter: float) -> float:
    """Seconds to wait after attempt number `attempt`, counted from 1.

    The ceiling doubles each time up to `cap_s`; `jitter`, from 0 to 1, picks a point below it, so
    that runs that failed together do not retry together.
    """
    doublings = min(max(attempt, 1) - 1, 60)
    return min(cap_s, base_s * 2.0**doublings) * jitter


def _is_rate_limited(outcome: Outcome) -> bool:
    return isinstance(outcome, ExecutionError) and outcome.error_class == "rate_limited"


def _diagnose_status(status: int, table: FaultTable) -> Diagnosis:
    if status in _LOGIN_REFUSED:
        return table.login
    return _BY_STATUS.get(status, OUTAGE if status >= 500 else REQUEST_REFUSED)


def _status_in_message(message: str, table: FaultTable) -> int | None:
    match = table.status_in_message.match(message.lstrip())
    return int(match[1]) if match else None


def _is_unusable_program(fault: Fault, table: FaultTable) -> bool:
    return fault.subtype == "start" and bool(table.unusable_program.search(fault.message))


def _diagnose_message(fault: Fault, table: FaultTable) -> Diagnosis | None:
    start = fault.message[:_SEARCHED_CHARACTERS]
    return next((each for pattern, each in table.by_message if pattern.search(start)), None)


def outcome_of_fault(fault: Fault, now: datetime, table: FaultTable) -> Outcome:
    """The outcome of a session that ended in this fault; its message includes the hint."""
    if fault.subtype == SANDBOX_FAULT:
        return SandboxError(fault.message)
    if quota := find_quota(fault.message, now, table):
        return QuotaExceeded(fault.message, quota.resets_at, quota.lasts)
    diagnosis = diagnose(fault, table)
    if _is_process_death(fault) and diagnosis.error_class == "retryable":
        return Crashed(fault.message, fault.exit_code)
    message = f"{fault.message} ({diagnosis.hint})" if diagnosis.hint else fault.message
    status = fault.api_status or _status_in_message(fault.message, table)
    return ExecutionError(message, diagnosis.error_class, diagnosis.of_service, status)


def with_duration(spent: QuotaExceeded, now: datetime, table: FaultTable) -> QuotaExceeded:
    """The outcome, marked as lasting if no reset brings the usage back."""
    found = None if spent.resets_at else find_quota(spent.message, now, table)
    return replace(spent, lasts=found is not None and found.lasts)


def _is_process_death(fault: Fault) -> bool:
    """Whether only the process failed: its last output may be a tool's, and says nothing about
    the model service."""
    return fault.exit_code is not None and fault.api_status is None


def find_unguarded_tool(
    finished: ToolFinished, *, names: Mapping[str, str], allowed: Collection[str]
) -> UnguardedTool | None:
    """The outcome if the agent got a result from a tool use that was not allowed.

    Error results are harmless: the agent refuses some uses itself, and tools reject some inputs.
    """
    if finished.is_error or finished.id in allowed:
        return None
    return UnguardedTool(names.get(finished.id, "a tool that it did not name"))
