"""Chooses the headers to forward each way, puts the credentials of the service in the place of
the agent's placeholders, and reads quota windows. Pure."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from treadle.domain.ledger import WindowShare
from treadle.domain.model_access import PASS_THROUGH_LOGIN, HeaderPairs, Login
from treadle.gateway.request_rules import drop_server_tool_betas

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


def to_service(
    headers: Iterable[tuple[bytes, bytes]], login: Login = PASS_THROUGH_LOGIN
) -> Headers:
    """The agent's headers as the service gets them, with the service's credentials."""
    cleaned = (
        (n, drop_server_tool_betas(v) if n == _BETA else v)
        for n, v in _without_hop_headers(headers)
    )
    forwarded = [pair for pair in cleaned if pair != (_BETA, b"")]
    return [*_with_credentials(login, forwarded), (b"accept-encoding", b"identity")]


def to_agent(headers: Iterable[tuple[bytes, bytes]], length: str | None) -> Headers:
    """The service's headers as the agent gets them; `length` is None for a chunked body."""
    forwarded = _without_hop_headers(headers)
    return forwarded if length is None else [*forwarded, (b"content-length", length.encode())]


def is_from_subscription(request: Mapping[str, str], response: Mapping[str, str]) -> bool:
    """Whether a subscription pays for this request, rather than a bill by tokens."""
    if request.get("x-api-key"):
        return False
    has_unified_limits = any(name.startswith(_UNIFIED) for name in response)
    return has_unified_limits or "oauth-" in request.get("anthropic-beta", "")


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


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < 1e11 else None


def _timestamp(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _with_credentials(
    login: Login, headers: Iterable[tuple[bytes, bytes]]
) -> list[tuple[bytes, bytes]]:
    """The headers of a request, in lower case, with the service's credentials."""
    forwarded = [
        pair for each in headers if (pair := _replace_credential(login.secrets, *each)) is not None
    ]
    sent = {name for name, _ in forwarded}
    added = [pair for pair in login.headers if pair[0] not in sent & _AGENT_WINS]
    replaced = {name for name, _ in added}
    return [pair for pair in forwarded if pair[0] not in replaced] + added


def _replace_credential(
    secrets: HeaderPairs, name: bytes, value: bytes
) -> tuple[bytes, bytes] | None:
    """None for a credential that is not one of our placeholders."""
    if name not in _CREDENTIALS or not secrets:
        return name, value
    for placeholder, secret in secrets:
        for scheme in _SCHEMES:
            if value == scheme + placeholder:
                return name, scheme + secret
    return None
