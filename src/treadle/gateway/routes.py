"""What an agent may ask for through the gateway, and whose request it is. Pure."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["message", "count", "greeting"]

_KINDS: dict[tuple[str, str], Kind] = {
    ("POST", "/v1/messages"): "message",
    ("POST", "/v1/messages/count_tokens"): "count",
    # Asked once at the start, whether anybody is there.
    ("HEAD", "/"): "greeting",
    ("GET", "/"): "greeting",
    ("HEAD", "/api/hello"): "greeting",
    ("GET", "/api/hello"): "greeting",
}


@dataclass(frozen=True, slots=True)
class Route:
    """A request's address taken apart; `kind` is None for what is not passed on."""

    token: str
    target: str
    kind: Kind | None


def route(method: str, target: str) -> Route:
    """The first part of the path is the session's secret, the rest is the service's own path."""
    path, question, query = target.partition("?")
    token, slash, rest = path.lstrip("/").partition("/")
    inner = slash + rest or "/"
    return Route(token, inner + question + query, _KINDS.get((method, inner)))
