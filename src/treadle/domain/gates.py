"""What all runs on one database know together: services that fail, credentials without quota."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Breaker:
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
class QuotaGate:
    """A credential whose quota is spent, named by a fingerprint and never by itself."""

    credential: str
    closed_until: datetime
    reason: str
    reported_at: datetime
    version: int = 0


class Breakers(Protocol):
    """One breaker per service, changed by compare-and-set."""

    def read(self, service: str) -> Breaker:
        """As it stands; of a service that nobody has reported on, a fresh one."""
        ...

    def swap(self, before: Breaker, after: Breaker) -> bool:
        """Put `after` in the place of `before`; False, and nothing done, if that has changed."""
        ...


class QuotaGates(Protocol):
    """One gate per credential, changed by compare-and-set."""

    def read(self, credential: str) -> QuotaGate | None:
        """As it stands; None while the quota is not known to be spent."""
        ...

    def close(self, before: QuotaGate | None, after: QuotaGate) -> bool:
        """Put `after` in the place of `before`; False, and nothing done, if that has changed."""
        ...

    def open(self, before: QuotaGate) -> bool:
        """Take the gate away; False, and nothing done, if it has changed."""
        ...
