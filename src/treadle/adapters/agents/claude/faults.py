"""Claude Code's error names and messages, the diagnosis of each, and its words for a quota."""

import re

from treadle.domain.diagnosis import (
    ACCOUNT_BLOCKED,
    BUDGET_SPENT,
    DISK_FULL,
    MODEL_UNAVAILABLE,
    NO_CREDIT,
    OUTAGE,
    RATE_LIMITED,
    RETRY,
    Diagnosis,
    FaultTable,
)

_LOGIN = Diagnosis(
    "authentication",
    "Log in with `claude` and /login, or set ANTHROPIC_API_KEY; `treadle doctor` checks it.",
)
_INSTALL = Diagnosis(
    "fatal", "Install or repair Claude Code; `treadle doctor` shows what is wrong."
)
_ROOT = Diagnosis("fatal", "Claude Code does not run unattended as root here: use another user.")

# The three tables hold every name that the agent knows.
_BY_ERROR: dict[str, Diagnosis] = {
    "authentication_failed": _LOGIN,
    "cloud_credential_error": _LOGIN,
    "oauth_org_not_allowed": ACCOUNT_BLOCKED,
    "account_on_hold": ACCOUNT_BLOCKED,
    "verification_required": ACCOUNT_BLOCKED,
    "billing_error": NO_CREDIT,
    "model_not_found": MODEL_UNAVAILABLE,
    "rate_limit": RATE_LIMITED,
    "overloaded": OUTAGE,
    "server_error": OUTAGE,
    "max_output_tokens": RETRY,
}

_BY_REASON: dict[str, Diagnosis] = {
    "prompt_too_long": RETRY,
    "blocking_limit": RETRY,
    "rapid_refill_breaker": RETRY,
    "image_error": RETRY,
    "malformed_tool_use_exhausted": RETRY,
    "max_turns": RETRY,
    "structured_output_retry_exhausted": RETRY,
    "model_error": RETRY,
    "turn_setup_failed": RETRY,
    "aborted_streaming": RETRY,
    "aborted_tools": RETRY,
    "hook_stopped": RETRY,
    "stop_hook_prevented": RETRY,
    "tool_deferred": RETRY,
    "tool_deferred_unavailable": RETRY,
    "background_requested": RETRY,
    "budget_exhausted": BUDGET_SPENT,
}

_BY_SUBTYPE: dict[str, Diagnosis] = {
    "error_max_turns": RETRY,
    "error_max_structured_output_retries": RETRY,
    "error_max_budget_usd": BUDGET_SPENT,
}

_BY_MESSAGE: tuple[tuple[re.Pattern[str], Diagnosis], ...] = tuple(
    (re.compile(words, re.IGNORECASE), diagnosis)
    for words, diagnosis in (
        (r"prompt is too long|input is too long|context (?:window|limit) ", RETRY),
        (r"no conversation found|session id \S+ is already in use", RETRY),
        (r"credit balance (?:is )?too low", NO_CREDIT),
        (r"not logged in|please run /login|invalid api key|failed to authenticate", _LOGIN),
        (r"oauth (?:token|session) (?:has )?(?:been )?(?:expired|revoked)", _LOGIN),
        (
            r"issue with the selected model|may not exist or you may not have access",
            MODEL_UNAVAILABLE,
        ),
        (r"cannot be used with root", _ROOT),
        (r"^(?:api error: )?(?:connection error|request timed out|network error)", OUTAGE),
        (r"fetch failed|socket hang up|\bE(?:CONN[A-Z]+|TIMEDOUT|NOTFOUND|AI_AGAIN)\b", OUTAGE),
        (r"no space left on device|ENOSPC|disk quota exceeded", DISK_FULL),
    )
)
_UNUSABLE_PROGRAM = re.compile(
    r"unknown option|not found|no such file|permission denied|exec format error|cannot execute",
    re.IGNORECASE,
)
_STATUS_IN_MESSAGE = re.compile(r"API Error:? \(?(\d{3})\b")

# The sentences that report a reached quota; a new wording is a row.
# What may follow a sentence: its end, punctuation, or when it resets. "You've hit your limit of
# five requests" is somebody's program speaking.
_ENDS = r"(?=\s*(?:$|[·∙•|(\n.,;:!–—-]|will reset\b|resets?\b|for\b|and\b|until\b))"
_WHICH = r"(?:[\w.'-]+ ){0,5}?"
_WINDOW = r"(?:5-hour|five-hour|session|daily|weekly|monthly|opus|sonnet|organization|org|plan)"
_QUOTA_SENTENCES = (
    rf"you(?:'ve| have) (?:hit|reached|exceeded) your {_WHICH}(?:limit|budget|quota){_ENDS}",
    rf"your org(?:anization)? has (?:hit|reached|exceeded) its {_WHICH}(?:limit|budget){_ENDS}",
    rf"your org(?:anization)?'s {_WHICH}limit (?:is|was|has been) (?:hit|reached){_ENDS}",
    rf"claude (?:ai |code |pro |max )?(?:{_WINDOW} )?(?:usage )?limit reached{_ENDS}",
    rf"(?:your )?(?:{_WINDOW} ){{1,3}}(?:usage )?limit reached{_ENDS}",
    rf"(?:your )?usage limit reached{_ENDS}",
    rf"spending cap reached{_ENDS}",
)
_LASTING_QUOTA_SENTENCES = (
    r"you're out of (?:extra usage|usage credits)\b",
    r"your org(?:anization)? is out of (?:extra )?usage\b",
    r"your seat type doesn't include (?:extra )?usage\b",
    r"your usage allocation has been disabled\b",
    r"(?:extra )?usage (?:has been|was|is) disabled (?:by|for) your (?:admin|org)",
    r"your group's usage limit is set to\b",
    r"this service is disabled for your org\b",
    r"(?:fable|haiku|mythos|opus|sonnet)(?: [^·\n]{1,40})? requires (?:usage credits|extra usage)",
)

FAULTS = FaultTable(
    by_reason=_BY_REASON,
    by_error=_BY_ERROR,
    by_subtype=_BY_SUBTYPE,
    by_message=_BY_MESSAGE,
    login=_LOGIN,
    install=_INSTALL,
    unusable_program=_UNUSABLE_PROGRAM,
    status_in_message=_STATUS_IN_MESSAGE,
    quota_sentences=_QUOTA_SENTENCES,
    lasting_quota_sentences=_LASTING_QUOTA_SENTENCES,
)
