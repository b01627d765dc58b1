"""Chooses the headers to forward each way, replaces the agent's placeholders by the credentials of
the service, and reads quota windows. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, assert_never

from treadle.domain.ledger import WindowShare
from treadle.domain.model_access import PASS_THROUGH_LOGIN, Login, PlaceholderSecret
from treadle.gateway.request_filter import filter_betas, is_known_header

Headers = list[tuple[bytes, bytes]]

# Valid for one connection only.
_HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-connection transfer-encoding upgrade te trailer expect host"
    b" content-length proxy-authorization proxy-authenticate cookie set-cookie".split()
)
# Responses are not compressed, so that they can be metered while they stream.
_COMPRESSION = frozenset({b"accept-encoding", b"content-encoding"})
_BETA = b"anthropic-beta"
_UNIFIED = "anthropic-ratelimit-unified-"
_USED = "-utilization"
_CREDENTIALS = frozenset({b"x-api-key", b"authorization"})
_SCHEMES = (b"", b"Bearer ")
# The agent lists the betas that it uses, and knows better than a fixed setting.
_AGENT_WINS = frozenset({_BETA})


@dataclass(frozen=True, slots=True)
class ServiceHeaders:
    """What the service gets, with placeholders where a secret belongs; the betas that were left
    out; whether a subscription's login is in it, or may be, or is not."""

    headers: Headers
    left_out: tuple[str, ...] = ()
    subscription: Literal["yes", "unknown", "no"] = "unknown"


def to_service(
    headers: Iterable[tuple[bytes, bytes]],
    login: Login = PASS_THROUGH_LOGIN,
    allowed: frozenset[str] = frozenset(),
) -> ServiceHeaders:
    """The agent's known headers as the service gets them, but for the secrets."""
    known = [pair for pair in _without_hop_headers(headers) if is_known_header(pair[0])]
    betas = filter_betas(b",".join(value for name, value in known if name == _BETA), allowed)
    single = _first_of_each(pair for pair in known if pair[0] != _BETA)
    beta = [(_BETA, betas.value)] if betas.value else []
    return ServiceHeaders(
        [*_with_own_headers(login, [*single, *beta]), (b"accept-encoding", b"identity")],
        betas.left_out,
        _subscription(login, single),
    )


def used_secrets(
    headers: Iterable[tuple[bytes, bytes]], login: Login
) -> tuple[PlaceholderSecret, ...]:
    """The secrets whose placeholders stand in these headers."""
    values = {value for name, value in headers if name in _CREDENTIALS}
    return tuple(
        held
        for held in login.secrets
        if not values.isdisjoint(scheme + held.placeholder for scheme in _SCHEMES)
    )


def with_secrets(headers: Iterable[tuple[bytes, bytes]], secrets: Mapping[bytes, bytes]) -> Headers:
    """The headers with each placeholder of a credential replaced by its secret."""
    values = {
        scheme + placeholder: scheme + secret
        for placeholder, secret in secrets.items()
        for scheme in _SCHEMES
    }
    return [
        (name, values.get(value, value) if name in _CREDENTIALS else value)
        for name, value in headers
    ]


def to_agent(headers: Iterable[tuple[bytes, bytes]], length: str | None) -> Headers:
    """The service's headers as the agent gets them; `length` is None for a chunked body."""
    forwarded = _without_hop_headers(headers)
    return forwarded if length is None else [*forwarded, (b"content-length", length.encode())]


def is_from_subscription(sent: ServiceHeaders, response: Mapping[str, str]) -> bool:
    """Whether a subscription pays for this request: by the login that we put in; where that does
    not tell, by the service's answer. What the agent says of itself is no sign."""
    match sent.subscription:
        case "yes":
            return True
        case "no":
            return False
        case "unknown":
            return any(name.startswith(_UNIFIED) for name in response)
        case never:
            assert_never(never)


def window_shares(response: Mapping[str, str]) -> tuple[WindowShare, ...]:
    """The used share of each quota window that the service reports."""
    shares = []
    for name, value in response.items():
        if name.startswith(_UNIFIED) and name.endswith(_USED):
            window = name.removeprefix(_UNIFIED).removesuffix(_USED)
            share = _number(value)
            if share is not None:
                reset = _number(response.get(f"{_UNIFIED}{window}-reset", ""))
                shares.append(WindowShare(window[:40], share, _timestamp(reset)))
    return tuple(sorted(shares, key=lambda each: each.window))


def _without_hop_headers(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    lowered = [(name.lower(), value) for name, value in headers]
    return [pair for pair in lowered if pair[0] not in _HOP_BY_HOP | _COMPRESSION]


def _first_of_each(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Each header once: of two logins the service might read another one than we do."""
    found: dict[bytes, bytes] = {}
    for name, value in headers:
        found.setdefault(name, value)
    return list(found.items())


def _subscription(
    login: Login, headers: Iterable[tuple[bytes, bytes]]
) -> Literal["yes", "unknown", "no"]:
    given = {name: value for name, value in headers if name in _CREDENTIALS}
    if any(name in _CREDENTIALS for name, _ in login.headers):
        return "unknown"
    if not login.secrets:
        # The agent's own keychain: a subscription, and nothing else is there to be paid with.
        return "yes" if list(given) == [b"authorization"] else "unknown"
    used = {held.placeholder for held in used_secrets(given.items(), login)}
    if used & login.paid_by_use:
        return "no"
    return "yes" if used & login.subscriptions else "unknown"


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < 1e11 else None


def _timestamp(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _with_own_headers(login: Login, headers: Headers) -> Headers:
    """The headers of a request, in lower case, with the user's own, and without a credential that
    is none of our placeholders."""
    forwarded = [
        pair
        for pair in headers
        if pair[0] not in _CREDENTIALS or not login.secrets or used_secrets([pair], login)
    ]
    sent = {name for name, _ in forwarded}
    added = [pair for pair in login.headers if pair[0] not in sent & _AGENT_WINS]
    replaced = {name for name, _ in added}
    return [pair for pair in forwarded if pair[0] not in replaced] + added
