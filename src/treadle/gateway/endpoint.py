"""The address at which one session reaches its model while it is open."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Two ways to reach the same account: a request through either counts as that session's."""

    # In a directory only this user can enter; a sandbox mounts it for its process.
    socket: Path
    # On loopback; it holds the account's token, so it is a secret.
    url: str = field(repr=False)
