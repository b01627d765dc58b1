"""The circuit breaker of an outside service, as pure functions over what its sessions report.

closed     the service is used; so many failures in a row open the breaker
open       the service is left alone for a while
half-open  one run tries the service while all others wait: its success closes the breaker, its
           failure opens it again; a run that never reports holds the others up no longer than that
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, TypeAlias, assert_never

from treadle.domain.events.oversight import BreakerClosed, BreakerOpened
from treadle.domain.gates import Breaker
from treadle.domain.session import (
    BudgetExceeded,
    Cancelled,
    Completed,
    Crashed,
    ExecutionError,
    MaxTurns,
    Outcome,
    QuotaExceeded,
    SandboxError,
    SessionResult,
    TimedOut,
    UnguardedTool,
)

FAILURES = 3
REST = timedelta(minutes=5)
_LONGEST_REASON = 200

State: TypeAlias = Literal["closed", "open", "half_open"]
News: TypeAlias = BreakerOpened | BreakerClosed | None
# Whether the service did its part; None when the end of a session does not tell.
Report: TypeAlias = Literal["worked", "failed"] | None


@dataclass(frozen=True, slots=True)
class Admitted:
    """The run may use the service, once the breaker is stored as it is here."""

    breaker: Breaker


@dataclass(frozen=True, slots=True)
class Held:
    """The run has to wait until then and ask again."""

    until: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Reported:
    """The breaker after a session, and what became of it by this."""

    breaker: Breaker
    news: News = None


def state_of(breaker: Breaker, now: datetime) -> State:
    if breaker.until is None:
        return "closed"
    if breaker.probe:
        return "half_open"
    return "open" if now < breaker.until else "half_open"


def admit(breaker: Breaker, run: str, now: datetime, *, rest: timedelta = REST) -> Admitted | Held:
    """Whether a run may use the service now; asking twice gives it no second turn."""
    if breaker.until is None or (breaker.probe == run and now < breaker.until):
        return Admitted(breaker)
    if now < breaker.until:
        return Held(breaker.until, f"{breaker.service} is left alone: {breaker.reason}")
    return Admitted(replace(breaker, probe=run, until=now + rest))


def report(
    breaker: Breaker, run: str, result: SessionResult, now: datetime, *, rest: timedelta = REST
) -> Reported:
    """What the end of a session does to the breaker; told twice, it says the same again."""
    match service_in(result.outcome):
        case "failed":
            return _failed(breaker, result, now, rest)
        case "worked":
            return _worked(breaker, result)
        case None:
            # The probe came to nothing, so another may have its turn.
            ended = replace(breaker, probe="", until=now) if breaker.probe == run else breaker
            return Reported(ended)
        case unreachable:
            assert_never(unreachable)


def service_in(outcome: Outcome) -> Report:
    """What a session's end says about the model service.

    Logins, credit, quota and malformed requests are no failures of the service, and a crash, a
    hang or an interrupt can have any cause.
    """
    match outcome:
        case Completed() | MaxTurns() | BudgetExceeded():
            return "worked"
        case ExecutionError(of_service=True):
            return "failed"
        case ExecutionError() | QuotaExceeded() | TimedOut() | Cancelled() | Crashed():
            return None
        case SandboxError() | UnguardedTool():
            return None
        case _:
            assert_never(outcome)


def _failed(breaker: Breaker, result: SessionResult, now: datetime, rest: timedelta) -> Reported:
    if breaker.reporter == result.session:
        return Reported(breaker, _opened(breaker))
    failures = breaker.failures + 1
    failed = replace(breaker, failures=failures, reporter=result.session)
    if breaker.until is None and failures < FAILURES:
        return Reported(failed)
    if breaker.until is not None and now < breaker.until and not breaker.probe:
        # It began before the breaker opened; nobody's rest is made longer by it.
        return Reported(replace(breaker, failures=failures))
    opened = replace(failed, until=now + rest, probe="", reason=_reason(failures, result.outcome))
    return Reported(opened, _opened(opened))


def _worked(breaker: Breaker, result: SessionResult) -> Reported:
    closed = BreakerClosed(breaker.service)
    if breaker.until is not None:
        shut = Breaker(breaker.service, reporter=result.session, version=breaker.version)
        return Reported(shut, closed)
    if breaker.failures:
        return Reported(Breaker(breaker.service, version=breaker.version))
    return Reported(breaker, closed if breaker.reporter == result.session else None)


def _opened(breaker: Breaker) -> BreakerOpened | None:
    if breaker.until is None:
        return None
    return BreakerOpened(breaker.service, breaker.reason, breaker.until)


def _reason(failures: int, outcome: Outcome) -> str:
    said = outcome.message if isinstance(outcome, ExecutionError) else ""
    line = " ".join(said.split())[:_LONGEST_REASON]
    return f"it failed {failures} times in a row, the last time with: {line}"
