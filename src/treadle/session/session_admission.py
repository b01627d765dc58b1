"""Asks quota and breaker whether a session may start, and reports its end to them."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal, TypeAlias, assert_never
from urllib.parse import urlsplit

from treadle.domain.events.oversight import BreakerClosed, BreakerOpened
from treadle.domain.ids import RunId
from treadle.domain.ports import Clock
from treadle.domain.service_health import BreakerStore, QuotaBlock, QuotaBlockStore
from treadle.domain.session import QuotaExceeded, SessionResult
from treadle.session.breaker import (
    REST,
    ServiceAvailable,
    ServiceUnavailable,
    admit_run,
    report_session,
    service_result,
    state_of,
)
from treadle.session.credential_quota import block_after_limit, blocked_until, is_quota_back


@dataclass(frozen=True, slots=True)
class StartNow:
    """A session may start."""

    type: Literal["go"] = "go"


@dataclass(frozen=True, slots=True)
class WaitUntil:
    """No session before then; afterwards the run must ask again."""

    when: datetime
    reason: str
    cause: Literal["quota", "breaker"]
    type: Literal["wait_until"] = "wait_until"
    # How far off that was when it was decided; None in a run of before this was noted.
    seconds: float | None = None


StartDecision: TypeAlias = StartNow | WaitUntil


def model_service_name(address: str = "") -> str:
    """The name of the model service at an address; each address has its own breaker, so that a
    rehearsal's failures never block a real run."""
    host = urlsplit(address).netloc.rpartition("@")[2]
    return f"model API at {host}" if host else "model API"


@dataclass(frozen=True, slots=True)
class SessionAdmission:
    """The breaker and the quota block that one run shares with all others.

    Both calls may be repeated after a crash: nothing counts twice, and no event is lost.
    """

    breakers: BreakerStore
    quota: QuotaBlockStore
    run: RunId
    service: str
    # See `credential_fingerprint`.
    credential: str
    clock: Clock
    jitter: Callable[[], float]
    margin_s: float
    # How long an open breaker stays open.
    rest: timedelta = REST
    # When the wait for each block that this process has met is over, by `Clock.elapsed`.
    wait_ends: dict[QuotaBlock, float] = field(default_factory=dict)

    def before_session(self) -> StartDecision:
        """Ask right before a session: the run that may start can be the probe."""
        now = self.clock.now()
        block = self.quota.read(self.credential)
        when = blocked_until(block, now, self.jitter(), margin_s=self.margin_s)
        if block is not None and when is not None:
            wait_s = self._remaining_wait_s(block, _seconds(when, now))
            if wait_s > 0:
                return WaitUntil(when, block.reason, "quota", seconds=wait_s)
        return self._ask_breaker(now)

    def left_alone_until(self) -> datetime | None:
        """When the service may be asked again, if its breaker is open."""
        breaker = self.breakers.read(self.service)
        state = state_of(breaker, self.clock.now(), rest=self.rest)
        return breaker.until if state == "open" else None

    def after_session(self, result: SessionResult) -> tuple[BreakerOpened | BreakerClosed, ...]:
        """Report the end of a session; the caller records the events."""
        now = self.clock.now()
        if isinstance(result.outcome, QuotaExceeded) and not result.outcome.lasts:
            self._block_credential(result.outcome, now)
        elif service_result(result.outcome) == "worked":
            self._unblock_credential(now - timedelta(seconds=result.duration_s))
        while True:
            before = self.breakers.read(self.service)
            after = report_session(before, self.run, result, now, rest=self.rest)
            if after.breaker == before or self.breakers.swap(before, after.breaker):
                return () if after.event is None else (after.event,)

    def _ask_breaker(self, now: datetime) -> StartDecision:
        while True:
            before = self.breakers.read(self.service)
            match admit_run(before, self.run, now, rest=self.rest):
                case ServiceUnavailable(until=until, reason=reason):
                    return WaitUntil(until, reason, "breaker", seconds=_seconds(until, now))
                case ServiceAvailable(breaker=after):
                    if after == before or self.breakers.swap(before, after):
                        return StartNow()
                case unreachable:
                    assert_never(unreachable)

    def _block_credential(self, spent: QuotaExceeded, now: datetime) -> None:
        while True:
            before = self.quota.read(self.credential)
            after = block_after_limit(before, self.credential, spent, now)
            if after == before or self.quota.block(before, after):
                break
        when = blocked_until(after, now, self.jitter(), margin_s=self.margin_s)
        if when is not None:
            self._remaining_wait_s(after, _seconds(when, now))

    def _remaining_wait_s(self, block: QuotaBlock, seconds: float) -> float:
        """At most what was left when this process first met the block: whoever has waited for it
        does not wait again because the clock was set back."""
        elapsed_s, met = self.clock.elapsed(), replace(block, version=0)
        ends = self.wait_ends.setdefault(met, elapsed_s + seconds)
        return min(seconds, ends - elapsed_s)

    def _unblock_credential(self, started_at: datetime) -> None:
        block = self.quota.read(self.credential)
        if block is not None and is_quota_back(block, started_at):
            # No effect if another run has stored a newer block.
            self.quota.unblock(block)


def _seconds(when: datetime, now: datetime) -> float:
    return (when - now).total_seconds()
