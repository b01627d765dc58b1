"""Reads GitHub's responses: limits, errors, further pages. Pure."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import orjson

from treadle.domain.http import HttpFailure, HttpResponse
from treadle.domain.service_failures import (
    NoPermission,
    NotFound,
    RateLimited,
    Refused,
    ServiceFailure,
    Unreachable,
)

# GitHub asks for a minute if it names no time.
DEFAULT_PAUSE = timedelta(minutes=1)
# A limit lasts an hour at most; a longer wait would be an error.
LONGEST_PAUSE = timedelta(hours=2)
_LONGEST_MESSAGE = 300
_NEXT = re.compile(r'<([^>]+)>\s*;[^,]*\brel="?next"?')
_SECONDARY = re.compile(r"secondary rate limit|abuse detection", re.IGNORECASE)


def read_failure(
    response: HttpResponse | HttpFailure, what: str, now: datetime
) -> ServiceFailure | None:
    """Why the response is none that can be used; None if it is one."""
    if isinstance(response, HttpFailure):
        return Unreachable(f"GitHub was not reached: {response.reason}", response.until)
    status = response.status
    if 200 <= status < 300 or status == 304:
        return None
    message = error_message(response.body)
    if status in (403, 429) and (until := limited_until(response, message, now)):
        return RateLimited(until)
    if status in (404, 410):
        return NotFound(what)
    if status == 401:
        return NoPermission("GitHub does not accept the token")
    if status in (403, 451):
        return NoPermission(f"the token has no access to {what}: {message}")
    if 400 <= status < 500:
        return Refused(f"GitHub refuses {what}: {message}")
    return Unreachable(f"GitHub answered with status {status}")


def limited_until(response: HttpResponse, message: str, now: datetime) -> datetime | None:
    """When requests are accepted again; None if no limit was reached."""
    headers = response.headers
    pause = headers.get("retry-after", "")
    if pause.isascii() and pause.isdigit() and len(pause) < 10:
        return _bounded(now + timedelta(seconds=int(pause)), now)
    reset = headers.get("x-ratelimit-reset", "")
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdigit() and len(reset) < 12:
        return _bounded(datetime.fromtimestamp(int(reset), UTC), now)
    if response.status == 429 or _SECONDARY.search(message):
        return now + DEFAULT_PAUSE
    return None


def _bounded(until: datetime, now: datetime) -> datetime:
    return max(now + timedelta(seconds=1), min(until, now + LONGEST_PAUSE))


def error_message(body: bytes) -> str:
    """What GitHub says about an error, on one line."""
    data = parse_json(body)
    if not isinstance(data, dict):
        return "no details given"
    details = data.get("errors")
    texts = [data.get("message"), *(details if isinstance(details, list) else ())]
    lines = [each.get("message") if isinstance(each, dict) else each for each in texts]
    text = "; ".join(line for line in lines if isinstance(line, str) and line)
    return " ".join(text.split())[:_LONGEST_MESSAGE] or "no details given"


def parse_json(body: bytes) -> Any:
    """The value; None if it is no JSON."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None


def next_page(link: str) -> str:
    """The URL of the next page in a `Link` header; empty if this is the last."""
    match = _NEXT.search(link)
    return match[1] if match else ""


def is_same_origin(url: str, root: str) -> bool:
    """Whether a URL is below the root of the API, so that it may get the token."""
    here, there = urlsplit(root), urlsplit(url)
    return (here.scheme, here.netloc) == (there.scheme, there.netloc)


def may_lead_to(url: str, root: str) -> bool:
    """Whether a redirect may be followed: no way from HTTPS to anything else."""
    parts = urlsplit(url)
    encrypted = urlsplit(root).scheme == "https"
    return bool(parts.hostname) and parts.scheme in (("https",) if encrypted else ("https", "http"))


def graphql_failure(data: Any, what: str, now: datetime) -> ServiceFailure | None:
    """The first error of a GraphQL response, which has status 200 all the same."""
    errors = data.get("errors") if isinstance(data, dict) else None
    if not isinstance(errors, list) or not errors:
        return None
    first = errors[0] if isinstance(errors[0], dict) else {}
    message = error_message(orjson.dumps({"message": first.get("message")}))
    match first.get("type"):
        case "RATE_LIMITED":
            return RateLimited(now + DEFAULT_PAUSE)
        case "FORBIDDEN" | "INSUFFICIENT_SCOPES":
            return NoPermission(f"the token has no access to {what}: {message}")
        case "NOT_FOUND":
            return NotFound(what)
        case _:
            return Refused(f"GitHub refuses {what}: {message}")
