"""Claude Code's own names and words for errors, and what each means; a new one is a row."""

import re

from treadle.session.diagnosis import (
    ACCOUNT,
    AFRESH,
    AGAIN,
    BUDGET,
    CREDIT,
    DISK,
    LATER,
    MODEL,
    OUTAGE,
    Diagnosis,
)

LOGIN = Diagnosis(
    "authentication",
    "Log in with `claude` and /login, or set ANTHROPIC_API_KEY; `treadle doctor` checks it.",
)
INSTALL = Diagnosis("fatal", "Install or repair Claude Code; `treadle doctor` shows what is wrong.")
ROOT = Diagnosis("fatal", "Claude Code does not work unattended as root here: use another user.")

# The agent's own names, most telling first; the three tables hold every name it knows.
BY_ERROR: dict[str, Diagnosis] = {
    "authentication_failed": LOGIN,
    "cloud_credential_error": LOGIN,
    "oauth_org_not_allowed": ACCOUNT,
    "account_on_hold": ACCOUNT,
    "verification_required": ACCOUNT,
    "billing_error": CREDIT,
    "model_not_found": MODEL,
    "rate_limit": LATER,
    "overloaded": OUTAGE,
    "server_error": OUTAGE,
    "max_output_tokens": AFRESH,
}

BY_REASON: dict[str, Diagnosis] = {
    "prompt_too_long": AFRESH,
    "blocking_limit": AFRESH,
    "rapid_refill_breaker": AFRESH,
    "image_error": AFRESH,
    "malformed_tool_use_exhausted": AFRESH,
    "max_turns": AFRESH,
    "structured_output_retry_exhausted": AFRESH,
    "model_error": AGAIN,
    "turn_setup_failed": AGAIN,
    "aborted_streaming": AGAIN,
    "aborted_tools": AGAIN,
    "hook_stopped": AGAIN,
    "stop_hook_prevented": AGAIN,
    "tool_deferred": AGAIN,
    "tool_deferred_unavailable": AGAIN,
    "background_requested": AGAIN,
    "budget_exhausted": BUDGET,
}

BY_SUBTYPE: dict[str, Diagnosis] = {
    "error_max_turns": AFRESH,
    "error_max_structured_output_retries": AFRESH,
    "error_max_budget_usd": BUDGET,
}

BY_WORDS: tuple[tuple[re.Pattern[str], Diagnosis], ...] = tuple(
    (re.compile(words, re.IGNORECASE), diagnosis)
    for words, diagnosis in (
        (r"prompt is too long|input is too long|context (?:window|limit) ", AFRESH),
        (r"no conversation found|session id \S+ is already in use", AFRESH),
        (r"credit balance (?:is )?too low", CREDIT),
        (r"not logged in|please run /login|invalid api key|failed to authenticate", LOGIN),
        (r"oauth (?:token|session) (?:has )?(?:been )?(?:expired|revoked)", LOGIN),
        (r"issue with the selected model|may not exist or you may not have access", MODEL),
        (r"cannot be used with root", ROOT),
        (r"^(?:api error: )?(?:connection error|request timed out|network error)", OUTAGE),
        (r"fetch failed|socket hang up|\bE(?:CONN[A-Z]+|TIMEDOUT|NOTFOUND|AI_AGAIN)\b", OUTAGE),
        (r"no space left on device|ENOSPC|disk quota exceeded", DISK),
    )
)
UNUSABLE_BINARY = re.compile(
    r"unknown option|not found|no such file|permission denied|exec format error|cannot execute",
    re.IGNORECASE,
)
STATUS_IN_WORDS = re.compile(r"API Error:? \(?(\d{3})\b")
