"""How much of the host's memory the connections of one door may take, all together."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

# The model service takes no larger request.
MAX_BODY = 32 * 1024 * 1024
# An agent may have ten helpers at work at a time, and a few requests of its own besides.
MOST_CONNECTIONS = 16
MOST_BYTES = 2 * MAX_BODY


@dataclass(slots=True)
class Room:
    """What there is room for, and what is taken; touched in the gateway's own thread alone."""

    most_connections: int = MOST_CONNECTIONS
    most_bytes: int = MOST_BYTES
    connections: int = 0
    held: int = 0

    @contextmanager
    def entered(self) -> Iterator[bool]:
        """One connection more, for as long as it lasts; False if there is no room for it."""
        self.connections += 1
        try:
            yield self.connections <= self.most_connections
        finally:
            self.connections -= 1

    def take(self, size: int) -> bool:
        """So many bytes of a request more; False, and nothing taken, if there is no room."""
        if self.held + size > self.most_bytes:
            return False
        self.held += size
        return True

    def give_back(self, size: int) -> None:
        self.held -= size
