"""Circuit breakers of outside services and spent quotas, shared by all runs on one database."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

# Notes of other processes carry times of the wall clock. One that lies further ahead than this was
# made before somebody set the clock back, and says nothing any more.
LARGEST_SKEW = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class CircuitBreaker:
    """The breaker of an outside service; a new one is closed."""

    service: str
    # In a row, over all runs.
    failures: int = 0
    # No run uses the service until then; None while the breaker is closed.
    until: datetime | None = None
    # The run that probes the service while all others wait.
    probe: str = ""
    reason: str = ""
    # The session that changed it last, so that a repeated report counts once.
    reporter: str = ""
    version: int = 0


@dataclass(frozen=True, slots=True)
class QuotaBlock:
    """A credential whose quota is spent, named by its fingerprint."""

    credential: str
    closed_until: datetime
    reason: str
    reported_at: datetime
    version: int = 0


class BreakerStore(Protocol):
    """One breaker per service, changed by compare-and-set."""

    def read(self, service: str) -> CircuitBreaker:
        """The breaker of a service; a new one if there is none."""
        ...

    def swap(self, before: CircuitBreaker, after: CircuitBreaker) -> bool:
        """Replace `before` by `after`; False, and nothing done, if `before` has changed."""
        ...


class QuotaBlockStore(Protocol):
    """One block per credential, changed by compare-and-set."""

    def read(self, credential: str) -> QuotaBlock | None:
        """The block of a credential; None if its quota is not known to be spent."""
        ...

    def block(self, before: QuotaBlock | None, after: QuotaBlock) -> bool:
        """Replace `before` by `after`; False, and nothing done, if `before` has changed."""
        ...

    def unblock(self, before: QuotaBlock) -> bool:
        """Remove the block; False, and nothing done, if it has changed."""
        ...
