"""Decides when the login of a subscription is renewed, and what a request is answered. Pure."""

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, assert_never

from treadle.adapters.agents.claude.subscription_file import LoginEnded, LoginState, StoredLogin
from treadle.domain.model_access import SecretMissing

# Claude Code renews a login that has five minutes left or less, and no other.
RENEW_BEFORE_S = 270.0
# The service's clock may be ahead of ours.
EXPIRY_MARGIN_S = 2.0
# Between renewals of a login that is good for less than `RENEW_BEFORE_S` from the start.
RENEWED_AGAIN_AFTER_S = 30.0
# After the first failure in a row, the second, and every further one.
BACKOFF_S = (5.0, 15.0, 60.0)

ENDED = SecretMissing(
    "login",
    "your Claude Code login has ended: run `claude /login`, or `claude setup-token` for a login"
    " that lasts",
)
NO_PROGRAM = SecretMissing(
    "login",
    "your Claude Code login has expired and no `claude` outside the project can renew it: run"
    " `claude setup-token` and set CLAUDE_CODE_OAUTH_TOKEN",
)
UNUSABLE_PROGRAM = SecretMissing(
    "login",
    "your Claude Code login has expired and `claude` ends without renewing it: run `claude"
    " setup-token` and set CLAUDE_CODE_OAUTH_TOKEN",
)
NOT_RENEWED = SecretMissing(
    "service",
    "your Claude Code login has expired and the service that renews it does not answer: trying"
    " again",
)

# How a renewal ended. By the file alone: a new token, no token, the same token. `unusable`: the
# program ended with an error and left the same token; `missing`: there is none to start.
RenewalOutcome: TypeAlias = Literal["renewed", "ended", "failed", "unusable", "missing"]


@dataclass(frozen=True, slots=True)
class RenewalHistory:
    """What renewals of this process came to; times are of one monotonic clock."""

    last: RenewalOutcome | None = None
    ended_at: float = 0.0
    # Without a new token, in a row.
    failures: int = 0
    # Tokens that were refused before their time and that a forced renewal has not replaced.
    given_up: frozenset[str] = field(default=frozenset(), repr=False)


@dataclass(frozen=True, slots=True)
class SendToken:
    """The token is good for this request."""

    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class SendAndRenew:
    """The token is good for this request, but not for long."""

    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class AwaitRenewal:
    """The token has expired: the request waits."""


@dataclass(frozen=True, slots=True)
class AwaitRetry:
    """The token has expired and the last renewal failed: the next one is due in `delay_s`."""

    delay_s: float
    # The answer to a request that cannot wait as long.
    missing: SecretMissing


TokenDecision: TypeAlias = SendToken | SendAndRenew | AwaitRenewal | AwaitRetry | SecretMissing


def decide_token(
    login: LoginState, history: RenewalHistory, *, unix_time: float, now: float
) -> TokenDecision:
    """What a request gets; `now` is of the clock of the history."""
    match login:
        case LoginEnded():
            return ENDED
        case StoredLogin(token, refresh_token, expires_at):
            left_s = expires_at - unix_time
            if left_s <= EXPIRY_MARGIN_S:
                return _decide_expired(refresh_token, history, now)
            is_due = left_s <= RENEW_BEFORE_S and refresh_token and _may_renew(history, now)
            return SendAndRenew(token) if is_due else SendToken(token)
        case never:
            assert_never(never)


def _decide_expired(refresh_token: str, history: RenewalHistory, now: float) -> TokenDecision:
    if not refresh_token:
        return ENDED
    delay_s = retry_delay(history, now)
    if delay_s <= 0:
        return AwaitRenewal()
    match history.last:
        case "missing":
            return NO_PROGRAM
        case "unusable":
            return UNUSABLE_PROGRAM
        case _:
            return AwaitRetry(delay_s, NOT_RENEWED)


def _may_renew(history: RenewalHistory, now: float) -> bool:
    if history.last == "renewed":
        return now >= history.ended_at + RENEWED_AGAIN_AFTER_S
    return retry_delay(history, now) <= 0


def retry_delay(history: RenewalHistory, now: float) -> float:
    """Seconds until the next renewal may be tried."""
    if not history.failures:
        return 0.0
    pause_s = BACKOFF_S[min(history.failures, len(BACKOFF_S)) - 1]
    return max(0.0, history.ended_at + pause_s - now)


def after_renewal(history: RenewalHistory, outcome: RenewalOutcome, now: float) -> RenewalHistory:
    failures = 0 if outcome in ("renewed", "ended") else history.failures + 1
    return replace(history, last=outcome, ended_at=now, failures=failures)


def judge_renewal(before: str, after: LoginState) -> RenewalOutcome:
    """How a renewal ended, by the file; exit codes say nothing about it."""
    match after:
        case LoginEnded():
            return "ended"
        case StoredLogin(token):
            return "failed" if token == before else "renewed"
        case never:
            assert_never(never)


def decide_refusal(
    refused: str, login: LoginState, history: RenewalHistory
) -> Literal["send again", "force renewal", "give up"]:
    """What follows if the service has refused a token that has not expired."""
    match login:
        case LoginEnded():
            return "send again"  # which tells the agent why it cannot be sent
        case StoredLogin(token) if token != refused:
            return "send again"
        case StoredLogin(token, refresh_token):
            can_force = refresh_token and token not in history.given_up
            return "force renewal" if can_force else "give up"
        case never:
            assert_never(never)
