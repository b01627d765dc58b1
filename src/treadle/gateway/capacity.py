"""Limits the connections and request bytes that one listener may hold at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

# The model service takes no larger request.
MAX_BODY = 32 * 1024 * 1024
# An agent may have ten helpers at work at a time, and a few requests of its own besides.
MAX_CONNECTIONS = 16
MAX_BYTES = 2 * MAX_BODY


@dataclass(slots=True)
class ConnectionCapacity:
    """What there is room for, and what is taken; touched in the gateway's own thread alone."""

    max_connections: int = MAX_CONNECTIONS
    max_bytes: int = MAX_BYTES
    connections: int = 0
    held_bytes: int = 0

    @contextmanager
    def open_connection(self) -> Iterator[bool]:
        """One connection more, for as long as it lasts; False if there is no room for it."""
        self.connections += 1
        try:
            yield self.connections <= self.max_connections
        finally:
            self.connections -= 1

    def reserve(self, size: int) -> bool:
        """So many bytes of a request more; False, and nothing taken, if there is no room."""
        if self.held_bytes + size > self.max_bytes:
            return False
        self.held_bytes += size
        return True

    def release(self, size: int) -> None:
        self.held_bytes -= size
