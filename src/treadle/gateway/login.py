"""Replaces the placeholders an agent sends with the real credentials of the service. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field

HeaderPairs = tuple[tuple[bytes, bytes], ...]

_CREDENTIALS = frozenset({b"x-api-key", b"authorization"})
_SCHEMES = (b"", b"Bearer ")
# An agent names the abilities of the service that it uses, and knows better than a fixed list.
_AGENT_WINS = frozenset({b"anthropic-beta"})


@dataclass(frozen=True, slots=True)
class Login:
    """Without `secrets` the agent has a login of its own, which passes as it is."""

    # Each word that the agent was given, and the secret that it stands for.
    secrets: HeaderPairs = field(default=(), repr=False)
    # Headers of the user's own, in lower case; they take the place of the agent's.
    headers: HeaderPairs = field(default=(), repr=False)

    def replace_credentials(
        self, given: Iterable[tuple[bytes, bytes]]
    ) -> list[tuple[bytes, bytes]]:
        """The headers of a request, in lower case, with what opens the service."""
        passing = [pair for each in given if (pair := self._replace_credential(*each)) is not None]
        sent = {name for name, _ in passing}
        own = [pair for pair in self.headers if pair[0] not in sent & _AGENT_WINS]
        replaced = {name for name, _ in own}
        return [pair for pair in passing if pair[0] not in replaced] + own

    def _replace_credential(self, name: bytes, value: bytes) -> tuple[bytes, bytes] | None:
        """None for a credential that is not of ours."""
        if name not in _CREDENTIALS or not self.secrets:
            return name, value
        for word, secret in self.secrets:
            for scheme in _SCHEMES:
                if value == scheme + word:
                    return name, scheme + secret
        return None


PASS_THROUGH_LOGIN = Login()
