"""What people are told of the login that a run would use. Pure; names no secret."""

from datetime import datetime, timedelta
from typing import assert_never

from treadle.domain.detected_login import DetectedLogin, LoginKind, LoginPayment

TITLES: dict[LoginKind, str] = {
    "api key": "API key",
    "auth token": "auth token",
    "key helper": "key helper",
    "token": "subscription token",
    "subscription": "subscription",
    "Console key": "Console key",
    "cloud provider": "cloud",
    "keychain": "keychain",
    "none": "no login",
}
LASTING = (
    "for long runs use an API key, or `claude setup-token` and `treadle auth set"
    " claude-oauth-token`"
)


def login_title(login: DetectedLogin | None) -> str:
    """A few words for the first line of a run; empty without a login."""
    if login is None or login.kind == "none":
        return ""
    if login.kind == "cloud provider":
        return login.source
    return TITLES[login.kind]


def describe_login(login: DetectedLogin, now: datetime) -> str:
    """Kind, source, who pays, and until when it is good."""
    parts = [f"{TITLES[login.kind]} from {login.source}", _payment(login.payment)]
    if login.expires_at is not None:
        until = f"{login.expires_at.astimezone():%Y-%m-%d %H:%M}"
        expiry = f"expires {until}" if login.expires_at > now else f"expired {until}"
        parts.append(f"{expiry}, renewed by your Claude Code" if login.renewed else expiry)
    return "; ".join(filter(None, (*parts, login.note)))


def lasting_warning(login: DetectedLogin, now: datetime, minutes: float) -> str:
    """A warning about a login that may end before a run with this time limit; else empty."""
    if login.renewed:
        return ""
    if login.expires_at is None:
        return f"the login may end during the run: {login.note}" if login.note else ""
    if login.expires_at >= now + timedelta(minutes=minutes):
        return ""
    until = f"{login.expires_at.astimezone():%Y-%m-%d %H:%M}"
    return f"the login from {login.source} ends at {until}, before the run's time limit: {LASTING}"


def _payment(payment: LoginPayment) -> str:
    match payment:
        case "subscription":
            return "covered by a subscription"
        case "by use":
            return "billed by use"
        case "cloud":
            return "billed by the cloud"
        case "unknown":
            return ""
        case never:
            assert_never(never)
