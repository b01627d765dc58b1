"""Asks the shared gates before a session and tells them its end: quota first, then the breaker."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias, assert_never
from urllib.parse import urlsplit

from treadle.domain.events.oversight import BreakerClosed, BreakerOpened
from treadle.domain.gates import Breakers, QuotaGates
from treadle.domain.ids import RunId
from treadle.domain.session import QuotaExceeded, SessionResult
from treadle.session.breaker import REST, Admitted, Held, admit, report, service_in
from treadle.session.quota_gate import closed_by, closed_until, opens


@dataclass(frozen=True, slots=True)
class Go:
    """Nothing stands in the way of a session."""

    type: Literal["go"] = "go"


@dataclass(frozen=True, slots=True)
class WaitUntil:
    """No session before then; afterwards the gates have to be asked again."""

    when: datetime
    reason: str
    cause: Literal["quota", "breaker"]
    type: Literal["wait_until"] = "wait_until"


Passage: TypeAlias = Go | WaitUntil


def model_service(address: str = "") -> str:
    """The name of the model service at an address; each address has a breaker of its own, so that
    a rehearsal's failures hold up no real run."""
    host = urlsplit(address).netloc.rpartition("@")[2]
    return f"model API at {host}" if host else "model API"


@dataclass(frozen=True, slots=True)
class Gates:
    """One run's way to what it shares with all others: a service and a credential.

    Both calls may be repeated after a crash: nothing counts twice, and no event is lost.
    """

    breakers: Breakers
    quota: QuotaGates
    run: RunId
    service: str
    # A fingerprint, see `quota_gate.fingerprint`.
    credential: str
    now: Callable[[], datetime]
    jitter: Callable[[], float]
    margin_s: float
    # How long a failing service is left alone.
    rest: timedelta = REST

    def before_session(self) -> Passage:
        """Ask right before a session: a run that is let through may be the one that probes."""
        now = self.now()
        gate = self.quota.read(self.credential)
        when = closed_until(gate, now, self.jitter(), margin_s=self.margin_s)
        if gate is not None and when is not None:
            return WaitUntil(when, gate.reason, "quota")
        return self._admitted(now)

    def after_session(self, result: SessionResult) -> tuple[BreakerOpened | BreakerClosed, ...]:
        """Tell the end of every session; the events are this run's to record."""
        now = self.now()
        if isinstance(result.outcome, QuotaExceeded):
            self._close(result.outcome, now)
        elif service_in(result.outcome) == "worked":
            self._open(now - timedelta(seconds=result.duration_s))
        while True:
            before = self.breakers.read(self.service)
            after = report(before, self.run, result, now, rest=self.rest)
            if after.breaker == before or self.breakers.swap(before, after.breaker):
                return () if after.news is None else (after.news,)

    def _admitted(self, now: datetime) -> Passage:
        while True:
            before = self.breakers.read(self.service)
            match admit(before, self.run, now, rest=self.rest):
                case Held(until=until, reason=reason):
                    return WaitUntil(until, reason, "breaker")
                case Admitted(breaker=after):
                    if after == before or self.breakers.swap(before, after):
                        return Go()
                case unreachable:
                    assert_never(unreachable)

    def _close(self, spent: QuotaExceeded, now: datetime) -> None:
        while True:
            before = self.quota.read(self.credential)
            after = closed_by(before, self.credential, spent, now)
            if after == before or self.quota.close(before, after):
                return

    def _open(self, began: datetime) -> None:
        gate = self.quota.read(self.credential)
        if gate is not None and opens(gate, began):
            # Whoever has closed it again in this moment knows better.
            self.quota.open(gate)
