"""Classes of errors: what a fault of the agent means for the next session, decided once, here."""

import re
from dataclasses import dataclass

from treadle.domain.agent import Fault
from treadle.domain.session import ErrorClass


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a fault means."""

    error_class: ErrorClass
    # What a person should do; empty where the next session may put it right by itself.
    hint: str = ""
    # True when the same conversation would fail again and only a new one can do better.
    needs_fresh_session: bool = False


_AGAIN = Diagnosis("retryable")
_AFRESH = Diagnosis("retryable", needs_fresh_session=True)
_LATER = Diagnosis("rate_limited")
_LOGIN = Diagnosis(
    "authentication",
    "Log in with `claude` and /login, or set ANTHROPIC_API_KEY; `treadle doctor` checks it.",
)
_ACCOUNT = Diagnosis("authentication", "Ask the account's administrator to admit it, then retry.")
_CREDIT = Diagnosis("fatal", "Add credit to the account or use another one, then start again.")
_MODEL = Diagnosis("fatal", "Choose a model your account may use: --model, or treadle.toml.")
_REFUSED = Diagnosis("fatal", "The model service refuses this request; the message says why.")
_INSTALL = Diagnosis(
    "fatal", "Install or repair Claude Code; `treadle doctor` shows what is wrong."
)
_ROOT = Diagnosis("fatal", "Claude Code does not work unattended as root here: use another user.")
_DISK = Diagnosis("fatal", "Free some disk space, then start again.")
_SCRIPT = Diagnosis("fatal", "Mend the rehearsal script, or what the run did with it.")
_BUDGET = Diagnosis("fatal", "Raise the session's budget in treadle.toml, then start again.")

# The agent's own names, most telling first; the three tables hold every name it knows.
_BY_ERROR: dict[str, Diagnosis] = {
    "authentication_failed": _LOGIN,
    "cloud_credential_error": _LOGIN,
    "oauth_org_not_allowed": _ACCOUNT,
    "account_on_hold": _ACCOUNT,
    "verification_required": _ACCOUNT,
    "billing_error": _CREDIT,
    "model_not_found": _MODEL,
    "rate_limit": _LATER,
    "overloaded": _AGAIN,
    "server_error": _AGAIN,
    "max_output_tokens": _AFRESH,
}

# Requests the service finds malformed come from what the conversation has become (a broken tool
# result, too large an image), so a new one has a chance; the retry limit bounds the attempts.
_BY_STATUS: dict[int, Diagnosis] = {
    400: _AFRESH,
    401: _LOGIN,
    402: _CREDIT,
    403: _LOGIN,
    404: _MODEL,
    408: _AGAIN,
    409: _AGAIN,
    413: _AFRESH,
    422: _AFRESH,
    425: _AGAIN,
    429: _LATER,
}

_BY_REASON: dict[str, Diagnosis] = {
    "prompt_too_long": _AFRESH,
    "blocking_limit": _AFRESH,
    "rapid_refill_breaker": _AFRESH,
    "image_error": _AFRESH,
    "malformed_tool_use_exhausted": _AFRESH,
    "max_turns": _AFRESH,
    "structured_output_retry_exhausted": _AFRESH,
    "model_error": _AGAIN,
    "turn_setup_failed": _AGAIN,
    "aborted_streaming": _AGAIN,
    "aborted_tools": _AGAIN,
    "hook_stopped": _AGAIN,
    "stop_hook_prevented": _AGAIN,
    "tool_deferred": _AGAIN,
    "tool_deferred_unavailable": _AGAIN,
    "background_requested": _AGAIN,
    "budget_exhausted": _BUDGET,
}

_BY_SUBTYPE: dict[str, Diagnosis] = {
    "error_max_turns": _AFRESH,
    "error_max_structured_output_retries": _AFRESH,
    "error_max_budget_usd": _BUDGET,
}

# Words are the last resort, and only those of the agent's own messages, near their beginning: the
# rest of a long message may be anything.
_WORDS_WITHIN = 400
_BY_WORDS: tuple[tuple[re.Pattern[str], Diagnosis], ...] = tuple(
    (re.compile(words, re.IGNORECASE), diagnosis)
    for words, diagnosis in (
        (r"prompt is too long|input is too long|context (?:window|limit) ", _AFRESH),
        (r"no conversation found|session id \S+ is already in use", _AFRESH),
        (r"credit balance (?:is )?too low", _CREDIT),
        (r"not logged in|please run /login|invalid api key|failed to authenticate", _LOGIN),
        (r"oauth (?:token|session) (?:has )?(?:been )?(?:expired|revoked)", _LOGIN),
        (r"issue with the selected model|may not exist or you may not have access", _MODEL),
        (r"cannot be used with root", _ROOT),
        (r"no space left on device|ENOSPC|disk quota exceeded", _DISK),
    )
)
_UNUSABLE_BINARY = re.compile(
    r"unknown option|not found|no such file|permission denied|exec format error|cannot execute",
    re.IGNORECASE,
)
_REHEARSAL = "rehearsal failed: "
_STATUS_IN_WORDS = re.compile(r"API Error:? \(?(\d{3})\b")
_NOT_STARTABLE = frozenset({126, 127})


def diagnose(fault: Fault) -> Diagnosis:
    """What a fault means. First match wins, from what is typed to what is only worded."""
    if _REHEARSAL in fault.message[:_WORDS_WITHIN]:
        return _SCRIPT
    if fault.terminal_reason in _BY_REASON:
        return _BY_REASON[fault.terminal_reason]
    if fault.error in _BY_ERROR:
        return _BY_ERROR[fault.error]
    status = fault.api_status or _worded_status(fault.message)
    worded = _by_words(fault)
    if worded is not None and status in (None, 400):
        return worded
    if status is not None:
        return _BY_STATUS.get(status, _AGAIN if status >= 500 else _REFUSED)
    if fault.exit_code in _NOT_STARTABLE or _never_ran(fault):
        return _INSTALL
    return _BY_SUBTYPE.get(fault.subtype, _AGAIN)


def backoff(attempt: int, *, base_s: float, cap_s: float, jitter: float) -> float:
    """Seconds to wait before attempt number `attempt` is repeated, counted from 1.

    The ceiling doubles each time up to `cap_s`; `jitter`, drawn from 0 to 1, picks a point below
    it, so that many runs that failed together do not come back together.
    """
    doublings = min(max(attempt, 1) - 1, 60)
    return min(cap_s, base_s * 2.0**doublings) * jitter


def _worded_status(message: str) -> int | None:
    found = _STATUS_IN_WORDS.match(message.lstrip())
    return int(found[1]) if found else None


def _never_ran(fault: Fault) -> bool:
    return fault.subtype == "start" and bool(_UNUSABLE_BINARY.search(fault.message))


def _by_words(fault: Fault) -> Diagnosis | None:
    opening = fault.message[:_WORDS_WITHIN]
    return next((meant for words, meant in _BY_WORDS if words.search(opening)), None)
