"""Replaces the placeholders an agent sends with the real credentials of the service. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field

HeaderPairs = tuple[tuple[bytes, bytes], ...]

_CREDENTIALS = frozenset({b"x-api-key", b"authorization"})
_SCHEMES = (b"", b"Bearer ")
# The agent lists the betas that it uses, and knows better than a fixed setting.
_AGENT_WINS = frozenset({b"anthropic-beta"})


@dataclass(frozen=True, slots=True)
class Login:
    """Without `secrets` the agent has a login of its own, which is forwarded unchanged."""

    # Pairs of a placeholder that the agent was given and the secret it stands for.
    secrets: HeaderPairs = field(default=(), repr=False)
    # The user's own headers, in lower case; they replace the agent's.
    headers: HeaderPairs = field(default=(), repr=False)

    def replace_credentials(
        self, headers: Iterable[tuple[bytes, bytes]]
    ) -> list[tuple[bytes, bytes]]:
        """The headers of a request, in lower case, with the service's credentials."""
        forwarded = [
            pair for each in headers if (pair := self._replace_credential(*each)) is not None
        ]
        sent = {name for name, _ in forwarded}
        added = [pair for pair in self.headers if pair[0] not in sent & _AGENT_WINS]
        replaced = {name for name, _ in added}
        return [pair for pair in forwarded if pair[0] not in replaced] + added

    def _replace_credential(self, name: bytes, value: bytes) -> tuple[bytes, bytes] | None:
        """None for a credential that is not one of our placeholders."""
        if name not in _CREDENTIALS or not self.secrets:
            return name, value
        for placeholder, secret in self.secrets:
            for scheme in _SCHEMES:
                if value == scheme + placeholder:
                    return name, scheme + secret
        return None


PASS_THROUGH_LOGIN = Login()
