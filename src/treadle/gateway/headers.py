"""Which headers pass in which direction, and what they tell of a subscription. Pure."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from treadle.domain.ledger import WindowShare
from treadle.gateway.elsewhere import without_reach
from treadle.gateway.login import OWN_LOGIN, Login

Headers = list[tuple[bytes, bytes]]

# Those of one connection; the other one has its own.
_HOP = frozenset(
    b"connection keep-alive proxy-connection transfer-encoding upgrade te trailer expect host"
    b" content-length proxy-authorization proxy-authenticate cookie set-cookie".split()
)
# Nothing is packed on its way to us: it could not be metered while it passes.
_PACKING = frozenset({b"accept-encoding", b"content-encoding"})
_BETA = b"anthropic-beta"
_UNIFIED = "anthropic-ratelimit-unified-"
_USED = "-utilization"


def to_service(given: Iterable[tuple[bytes, bytes]], login: Login = OWN_LOGIN) -> Headers:
    """The agent's headers as they go on, with what opens the service."""
    passing = ((n, without_reach(v) if n == _BETA else v) for n, v in _passing(given))
    kept = [pair for pair in passing if pair != (_BETA, b"")]
    return [*login.open(kept), (b"accept-encoding", b"identity")]


def to_agent(given: Iterable[tuple[bytes, bytes]], length: str | None) -> Headers:
    """The service's headers as they go on; `length` is None for a body that comes in chunks."""
    kept = _passing(given)
    return kept if length is None else [*kept, (b"content-length", length.encode())]


def from_subscription(request: Mapping[str, str], response: Mapping[str, str]) -> bool:
    """Whether nobody bills this request by its tokens."""
    if request.get("x-api-key"):
        return False
    told = any(name.startswith(_UNIFIED) for name in response)
    return told or "oauth-" in request.get("anthropic-beta", "")


def window_shares(response: Mapping[str, str]) -> tuple[WindowShare, ...]:
    """How full each usage window is, as far as the service says."""
    shares = []
    for name, value in response.items():
        if name.startswith(_UNIFIED) and name.endswith(_USED):
            window = name.removeprefix(_UNIFIED).removesuffix(_USED)
            share = _number(value)
            if share is not None:
                reset = _number(response.get(f"{_UNIFIED}{window}-reset", ""))
                shares.append(WindowShare(window[:40], share, _moment(reset)))
    return tuple(sorted(shares, key=lambda each: each.window))


def _passing(given: Iterable[tuple[bytes, bytes]]) -> Headers:
    lowered = [(name.lower(), value) for name, value in given]
    return [pair for pair in lowered if pair[0] not in _HOP | _PACKING]


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < 1e11 else None


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
