"""How an agent reaches its model through the gateway. Types only."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

HeaderPairs = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Two ways to reach the same account: a request through either counts as that session's."""

    # In a directory only this user can enter; a sandbox mounts it for its process.
    socket: Path
    # On loopback; it holds the account's token, so it is a secret.
    url: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class SecretMissing:
    """There is no secret to send: the login has ended and a person must log in, or whoever issues
    the secret does not answer, which may pass."""

    cause: Literal["login", "service"]
    # What happened and what to do next, for people.
    message: str


class SecretSource(Protocol):
    """Where a secret of the user's login comes from. It is asked before every request, in whatever
    thread and event loop the request is handled; a wait there holds up that request alone."""

    async def current(self) -> bytes | SecretMissing:
        """The secret to send now."""

    async def replace_refused(self, secret: bytes) -> bool:
        """The service has refused this very secret: whether `current` has another one to try."""


@dataclass(frozen=True, slots=True)
class StaticSecret:
    """The `SecretSource` of a secret that stays the same for the whole run."""

    value: bytes = field(repr=False)

    async def current(self) -> bytes | SecretMissing:
        return self.value

    async def replace_refused(self, secret: bytes) -> bool:  # there is no other
        return False


@dataclass(frozen=True, slots=True)
class PlaceholderSecret:
    """A placeholder that the agent was given, and where the secret that it stands for is from."""

    placeholder: bytes
    source: SecretSource = field(repr=False)


@dataclass(frozen=True, slots=True)
class Login:
    """What the gateway adds to requests, so that the agent need not have it. Without `secrets` the
    agent has a login of its own, which is forwarded unchanged."""

    secrets: tuple[PlaceholderSecret, ...] = ()
    # The user's own headers, in lower case; they replace the agent's.
    headers: HeaderPairs = field(default=(), repr=False)
    # Placeholders of logins that a subscription pays for, and of those that are billed by use. Of
    # others, only the service's answers tell.
    subscriptions: frozenset[bytes] = frozenset()
    paid_by_use: frozenset[bytes] = frozenset()


PASS_THROUGH_LOGIN = Login()


@dataclass(frozen=True, slots=True)
class ModelService:
    """A URL, and how to reach it. The proxy's URL may hold a password."""

    base_url: str
    proxy: str = field(default="", repr=False)
    # Files of certificate authorities to trust beside the default ones.
    authorities: tuple[str, ...] = ()
    # The client certificate, its key, and the key's password.
    certificate: tuple[str, str, str] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class CloudModel:
    """The model is in a cloud whose requests the gateway does not know."""

    cloud: str


@dataclass(frozen=True, slots=True)
class LoginCheckRequest:
    """A request that costs nothing, with placeholders in its headers where secrets belong."""

    method: str
    target: str
    headers: HeaderPairs
    body: bytes
    # What it asks, for people.
    question: str
