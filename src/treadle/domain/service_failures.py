"""How a call to a forge or a tracker can fail in a healthy run. Each is a value."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, assert_never


@dataclass(frozen=True, slots=True)
class NotFound:
    """It does not exist, or this login may not see it."""

    what: str
    type: Literal["not_found"] = "not_found"


@dataclass(frozen=True, slots=True)
class NoPermission:
    """The service does not accept the login, or it may not do this."""

    reason: str
    type: Literal["no_permission"] = "no_permission"


@dataclass(frozen=True, slots=True)
class RateLimited:
    """The service asks not to be called again before then."""

    until: datetime
    type: Literal["rate_limited"] = "rate_limited"


@dataclass(frozen=True, slots=True)
class Unreachable:
    """The service did not answer, or not in a way that can be used. What was asked for may have
    been done all the same."""

    reason: str
    # It is not asked again before then.
    until: datetime | None = None
    type: Literal["unreachable"] = "unreachable"


@dataclass(frozen=True, slots=True)
class Refused:
    """The service understood the request and does not do it; a repetition ends the same."""

    reason: str
    type: Literal["refused"] = "refused"


ServiceFailure: TypeAlias = NotFound | NoPermission | RateLimited | Unreachable | Refused


def failure_text(failure: ServiceFailure) -> str:
    """One line for a person."""
    match failure:
        case NotFound(what):
            return f"{what} was not found, or the token may not see it"
        case NoPermission(reason) | Refused(reason):
            return reason
        case RateLimited(until):
            return f"the rate limit is reached until {until:%Y-%m-%d %H:%M:%S} UTC"
        case Unreachable(reason):
            return reason
        case _:
            assert_never(failure)


def retry_at(failure: ServiceFailure, default: datetime) -> datetime | None:
    """When a repetition can succeed; None if a person must act first."""
    match failure:
        case RateLimited(until):
            return until
        case Unreachable(until=until):
            return until or default
        case NotFound() | NoPermission() | Refused():
            return None
        case _:
            assert_never(failure)
