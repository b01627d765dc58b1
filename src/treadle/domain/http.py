"""One HTTP request and its response: the seam between Treadle's clients and the network."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

MAX_BODY_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    """A request whose response has at most `max_bytes`. Headers may hold a token."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    body: bytes = field(default=b"", repr=False)
    max_bytes: int = MAX_BODY_BYTES
    # A longer body is a failure, or is cut at its beginning.
    keep: Literal["all", "end"] = "all"


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response of any status; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict, hash=False)
    body: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class HttpFailure:
    """There was no response, or none that could be used."""

    reason: str
    # The service is not asked again before then.
    until: datetime | None = None


class HttpSender(Protocol):
    """Sends one request. It follows no redirect and never raises for what a network does."""

    async def send(self, request: OutgoingRequest) -> HttpResponse | HttpFailure: ...
