"""Circuit breakers of outside services and spent quotas, shared by all runs on one database."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class CircuitBreaker:
    """How an outside service has been doing. A fresh one is closed: the service is used."""

    service: str
    # In a row, over all runs.
    failures: int = 0
    # The service is left alone until then; None while it is used.
    until: datetime | None = None
    # The run that tries it once while all others wait.
    probe: str = ""
    reason: str = ""
    # The session whose report made it what it is, so that a report made twice counts once.
    reporter: str = ""
    version: int = 0


@dataclass(frozen=True, slots=True)
class QuotaBlock:
    """A credential whose quota is spent, named by a fingerprint and never by itself."""

    credential: str
    closed_until: datetime
    reason: str
    reported_at: datetime
    version: int = 0


class BreakerStore(Protocol):
    """One breaker per service, changed by compare-and-set."""

    def read(self, service: str) -> CircuitBreaker:
        """As it stands; of a service that nobody has reported on, a fresh one."""
        ...

    def swap(self, before: CircuitBreaker, after: CircuitBreaker) -> bool:
        """Put `after` in the place of `before`; False, and nothing done, if that has changed."""
        ...


class QuotaBlockStore(Protocol):
    """One gate per credential, changed by compare-and-set."""

    def read(self, credential: str) -> QuotaBlock | None:
        """As it stands; None while the quota is not known to be spent."""
        ...

    def block(self, before: QuotaBlock | None, after: QuotaBlock) -> bool:
        """Put `after` in the place of `before`; False, and nothing done, if that has changed."""
        ...

    def unblock(self, before: QuotaBlock) -> bool:
        """Take the gate away; False, and nothing done, if it has changed."""
        ...
