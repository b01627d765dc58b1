"""Classes of errors: what a fault of the agent means for the next session, decided once, here.

The agents' own names and words for errors are in `<agent>/errors.py`.
"""

from dataclasses import dataclass

from treadle.domain.agent import Fault
from treadle.domain.session import ExecutionError, Outcome
from treadle.session.claude.errors import (
    BY_ERROR,
    BY_REASON,
    BY_SUBTYPE,
    BY_WORDS,
    INSTALL,
    LOGIN,
    STATUS_IN_WORDS,
    UNUSABLE_BINARY,
)
from treadle.session.diagnosis import (
    AFRESH,
    AGAIN,
    CREDIT,
    LATER,
    MODEL,
    OUTAGE,
    REFUSED,
    SCRIPT,
    Diagnosis,
)

# Requests the service finds malformed come from what the conversation has become (a broken tool
# result, too large an image), so a new one has a chance; the retry limit bounds the attempts.
_BY_STATUS: dict[int, Diagnosis] = {
    400: AFRESH,
    401: LOGIN,
    402: CREDIT,
    403: LOGIN,
    404: MODEL,
    408: OUTAGE,
    409: AGAIN,
    413: AFRESH,
    422: AFRESH,
    425: AGAIN,
    429: LATER,
}

# Words are the last resort, and only those of the agent's own messages, near their beginning: the
# rest of a long message may be anything.
_WORDS_WITHIN = 400
_REHEARSAL = "rehearsal failed: "
_NOT_STARTABLE = frozenset({126, 127})


@dataclass(frozen=True, slots=True)
class _Pace:
    """How fast pauses grow: the first one in multiples of the setting, and the longest."""

    factor: float
    cap_s: float


_RETRYABLE = _Pace(factor=1.0, cap_s=300.0)
_RATE_LIMITED = _Pace(factor=6.0, cap_s=900.0)
_LONGEST_ASKED_S = 24 * 3600.0


def diagnose(fault: Fault) -> Diagnosis:
    """What a fault means. First match wins, from what is typed to what is only worded."""
    if _REHEARSAL in fault.message[:_WORDS_WITHIN]:
        return SCRIPT
    if fault.terminal_reason in BY_REASON:
        return BY_REASON[fault.terminal_reason]
    if fault.error in BY_ERROR:
        return BY_ERROR[fault.error]
    status = fault.api_status or _worded_status(fault.message)
    worded = _by_words(fault)
    if worded is not None and status in (None, 400):
        return worded
    if status is not None:
        return _BY_STATUS.get(status, OUTAGE if status >= 500 else REFUSED)
    if fault.exit_code in _NOT_STARTABLE or _never_ran(fault):
        return INSTALL
    return BY_SUBTYPE.get(fault.subtype, AGAIN)


def pause_after(
    outcome: Outcome,
    attempt: int,
    *,
    base_s: float,
    jitter: float,
    retry_after_s: float | None = None,
) -> float:
    """Seconds between a session that failed and the next, `attempt` being the failures in a row.

    A service that asks for less traffic gets longer pauses than one that just failed. What it asks
    for itself is waited in full, and a little more so that not all come back at once.
    """
    pace = _RATE_LIMITED if _asks_for_less(outcome) else _RETRYABLE
    # Never less than half of the ceiling: a retry at once would help nobody.
    share = 0.5 + min(max(jitter, 0.0), 1.0) / 2
    own = backoff(attempt, base_s=base_s * pace.factor, cap_s=pace.cap_s, jitter=share)
    asked = min(max(retry_after_s or 0.0, 0.0), _LONGEST_ASKED_S)
    return max(own, asked * (1 + jitter / 10))


def backoff(attempt: int, *, base_s: float, cap_s: float, jitter: float) -> float:
    """Seconds to wait before attempt number `attempt` is repeated, counted from 1.

    The ceiling doubles each time up to `cap_s`; `jitter`, drawn from 0 to 1, picks a point below
    it, so that many runs that failed together do not come back together.
    """
    doublings = min(max(attempt, 1) - 1, 60)
    return min(cap_s, base_s * 2.0**doublings) * jitter


def _asks_for_less(outcome: Outcome) -> bool:
    return isinstance(outcome, ExecutionError) and outcome.error_class == "rate_limited"


def _worded_status(message: str) -> int | None:
    found = STATUS_IN_WORDS.match(message.lstrip())
    return int(found[1]) if found else None


def _never_ran(fault: Fault) -> bool:
    return fault.subtype == "start" and bool(UNUSABLE_BINARY.search(fault.message))


def _by_words(fault: Fault) -> Diagnosis | None:
    opening = fault.message[:_WORDS_WITHIN]
    return next((meant for words, meant in BY_WORDS if words.search(opening)), None)
