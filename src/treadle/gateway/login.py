"""Replaces the placeholders an agent sends with the real credentials of the service. Pure."""

from collections.abc import Iterable

from treadle.domain.model_access import HeaderPairs, Login

_CREDENTIALS = frozenset({b"x-api-key", b"authorization"})
_SCHEMES = (b"", b"Bearer ")
# The agent lists the betas that it uses, and knows better than a fixed setting.
_AGENT_WINS = frozenset({b"anthropic-beta"})


def replace_credentials(
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
