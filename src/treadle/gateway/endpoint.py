"""The address at which one session reaches its model while it is open."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Two doors to the same account: who comes through one of them is that session."""

    # In a directory that nobody else can enter; a sandbox shows it to its process.
    socket: Path
    # On this machine's loopback; whoever knows it is let in.
    url: str = field(repr=False)
