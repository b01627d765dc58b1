"""The circuit breaker of an outside service, as pure functions over reports of its uses.

closed     runs use the service; FAILURE_LIMIT failures in a row open the breaker
open       no run uses the service until `until`
half-open  one run probes the service while all others wait: success closes the breaker, failure
           opens it again; a probe that never reports expires after the same time
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, TypeAlias, assert_never

from treadle.domain.events.oversight import BreakerClosed, BreakerOpened
from treadle.domain.service_health import LARGEST_SKEW, CircuitBreaker
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

FAILURE_LIMIT = 3
REST = timedelta(minutes=5)
_LONGEST_REASON = 200

BreakerState: TypeAlias = Literal["closed", "open", "half_open"]
BreakerEvent: TypeAlias = BreakerOpened | BreakerClosed | None
# None if the outcome of a session does not show it.
ServiceResult: TypeAlias = Literal["worked", "failed"] | None


@dataclass(frozen=True, slots=True)
class ServiceAvailable:
    """The run may use the service after storing this breaker."""

    breaker: CircuitBreaker


@dataclass(frozen=True, slots=True)
class ServiceUnavailable:
    """The run must wait until then and ask again."""

    until: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class BreakerUpdate:
    """The breaker after a report, and the event to record."""

    breaker: CircuitBreaker
    event: BreakerEvent = None


@dataclass(frozen=True, slots=True)
class ServiceReport:
    """What one use of the service has shown."""

    result: ServiceResult
    # The session or request; of two reports with one name the second changes nothing.
    reporter: str
    message: str = ""


def state_of(breaker: CircuitBreaker, now: datetime, *, rest: timedelta = REST) -> BreakerState:
    if breaker.until is None:
        return "closed"
    if breaker.probe:
        return "half_open"
    return "open" if _is_ahead(breaker.until, now, rest) else "half_open"


def _is_ahead(until: datetime, now: datetime, rest: timedelta) -> bool:
    """Whether the breaker's time is still to come; one that lies further off than a rest is of
    before the clock was set back."""
    return now < until <= now + rest + LARGEST_SKEW


def admit_run(
    breaker: CircuitBreaker, run: str, now: datetime, *, rest: timedelta = REST
) -> ServiceAvailable | ServiceUnavailable:
    """Whether a run may use the service now; safe to ask twice."""
    if breaker.until is None:
        return ServiceAvailable(breaker)
    ahead = _is_ahead(breaker.until, now, rest)
    if ahead and breaker.probe == run:
        return ServiceAvailable(breaker)
    if ahead:
        return ServiceUnavailable(
            breaker.until, f"{breaker.service} is left alone: {breaker.reason}"
        )
    return ServiceAvailable(replace(breaker, probe=run, until=now + rest))


def report_session(
    breaker: CircuitBreaker,
    run: str,
    result: SessionResult,
    now: datetime,
    *,
    rest: timedelta = REST,
) -> BreakerUpdate:
    """Update the breaker with the end of a session; repeating it changes nothing more."""
    outcome = result.outcome
    message = outcome.message if isinstance(outcome, ExecutionError) else ""
    report = ServiceReport(service_result(outcome), result.session, message)
    return report_service(breaker, run, report, now, rest=rest)


def report_service(
    breaker: CircuitBreaker,
    run: str,
    report: ServiceReport,
    now: datetime,
    *,
    rest: timedelta = REST,
) -> BreakerUpdate:
    """Update the breaker with one use of the service; repeating it changes nothing more."""
    match report.result:
        case "failed":
            return _after_failure(breaker, report, now, rest)
        case "worked":
            return _after_success(breaker, report)
        case None:
            # The probe was inconclusive, so another run may probe.
            ended = replace(breaker, probe="", until=now) if breaker.probe == run else breaker
            return BreakerUpdate(ended)
        case unreachable:
            assert_never(unreachable)


def service_result(outcome: Outcome) -> ServiceResult:
    """What a session's outcome shows about the model service.

    Login, credit, quota and malformed requests are no failures of the service; a crash, a hang or
    an interrupt can have any cause.
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


def _after_failure(
    breaker: CircuitBreaker, report: ServiceReport, now: datetime, rest: timedelta
) -> BreakerUpdate:
    if breaker.reporter == report.reporter:
        return BreakerUpdate(breaker, _opened_event(breaker))
    failures = breaker.failures + 1
    failed = replace(breaker, failures=failures, reporter=report.reporter)
    if breaker.until is None and failures < FAILURE_LIMIT:
        return BreakerUpdate(failed)
    ahead = breaker.until is not None and _is_ahead(breaker.until, now, rest)
    if ahead and not breaker.probe:
        # It started before the breaker opened, so it does not extend the pause.
        return BreakerUpdate(replace(breaker, failures=failures))
    opened = replace(failed, until=now + rest, probe="", reason=_reason(failures, report.message))
    return BreakerUpdate(opened, _opened_event(opened))


def _after_success(breaker: CircuitBreaker, report: ServiceReport) -> BreakerUpdate:
    closed = BreakerClosed(breaker.service)
    if breaker.until is not None:
        reset_breaker = CircuitBreaker(
            breaker.service, reporter=report.reporter, version=breaker.version
        )
        return BreakerUpdate(reset_breaker, closed)
    if breaker.failures:
        return BreakerUpdate(CircuitBreaker(breaker.service, version=breaker.version))
    return BreakerUpdate(breaker, closed if breaker.reporter == report.reporter else None)


def _opened_event(breaker: CircuitBreaker) -> BreakerOpened | None:
    if breaker.until is None:
        return None
    return BreakerOpened(breaker.service, breaker.reason, breaker.until)


def _reason(failures: int, message: str) -> str:
    line = " ".join(message.split())[:_LONGEST_REASON]
    return f"it failed {failures} times in a row, the last time with: {line}"
