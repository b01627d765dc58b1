"""Limits the connections and request bytes that one listener may hold at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

# The model service accepts no larger request.
MAX_BODY = 32 * 1024 * 1024
# An agent may run ten subagents at a time, and a few requests of its own.
MAX_CONNECTIONS = 16
MAX_BYTES = 2 * MAX_BODY
READ_ON_S = 120.0


@dataclass(slots=True)
class ConnectionCapacity:
    """The limits of one listener and what is in use; used in the gateway's thread only."""

    max_connections: int = MAX_CONNECTIONS
    max_bytes: int = MAX_BYTES
    connections: int = 0
    held_bytes: int = 0
    # How long an answer is read after its agent has left; it holds its connection until then.
    read_on_s: float = READ_ON_S

    @contextmanager
    def open_connection(self) -> Iterator[bool]:
        """Count one more connection while the block runs; yields False if it is over the limit."""
        self.connections += 1
        try:
            yield self.connections <= self.max_connections
        finally:
            self.connections -= 1

    def reserve(self, size: int) -> bool:
        """Reserve bytes for a request; False, and nothing reserved, if they exceed the limit."""
        if self.held_bytes + size > self.max_bytes:
            return False
        self.held_bytes += size
        return True

    def release(self, size: int) -> None:
        self.held_bytes -= size
