"""What an agent may ask for through the gateway, and whose request it is. Pure."""

from typing import Literal

Kind = Literal["message", "count", "greeting"]

_KINDS: dict[tuple[str, str], Kind] = {
    ("POST", "/v1/messages"): "message",
    ("POST", "/v1/messages/count_tokens"): "count",
    # Asked once at the start, whether anybody is there: the gateway is, and says so itself.
    ("HEAD", "/"): "greeting",
    ("GET", "/"): "greeting",
    ("HEAD", "/api/hello"): "greeting",
    ("GET", "/api/hello"): "greeting",
}


def kind_of(method: str, target: str) -> Kind | None:
    """None for what is not passed on."""
    return _KINDS.get((method, target.partition("?")[0]))


def addressed(target: str) -> tuple[str, str]:
    """A session's secret, which is the first part of the path, and what is asked of the service."""
    path, question, query = target.partition("?")
    token, slash, rest = path.lstrip("/").partition("/")
    return token, (slash + rest or "/") + question + query
