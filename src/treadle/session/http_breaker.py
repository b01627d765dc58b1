"""Leaves a service alone that fails again and again: a circuit breaker around HTTP requests."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from treadle.domain.events.oversight import BreakerClosed, BreakerOpened
from treadle.domain.http import HttpFailure, HttpResponse, HttpSender, OutgoingRequest
from treadle.domain.service_health import BreakerStore
from treadle.session.breaker import (
    REST,
    ServiceReport,
    ServiceResult,
    ServiceUnavailable,
    admit_run,
    report_service,
)


@dataclass(frozen=True, slots=True)
class HttpBreaker:
    """The `HttpSender` port over another one, with the breaker of a service that all runs share."""

    sender: HttpSender
    breakers: BreakerStore
    # As people read it; each address has its own.
    service: str
    run: str
    now: Callable[[], datetime]
    # A new name for every request, so that each failure counts once.
    make_id: Callable[[], str]
    rest: timedelta = REST
    # Told when the breaker opens or closes.
    tell: Callable[[BreakerOpened | BreakerClosed], None] = lambda event: None

    async def send(self, request: OutgoingRequest) -> HttpResponse | HttpFailure:
        if (waiting := self._ask()) is not None:
            return HttpFailure(waiting.reason, waiting.until)
        response = await self.sender.send(request)
        message = response.reason if isinstance(response, HttpFailure) else f"{response.status}"
        self._report(ServiceReport(http_result(response), self.make_id(), message))
        return response

    def _ask(self) -> ServiceUnavailable | None:
        while True:
            before = self.breakers.read(self.service)
            answer = admit_run(before, self.run, self.now(), rest=self.rest)
            if isinstance(answer, ServiceUnavailable):
                return answer
            if answer.breaker == before or self.breakers.swap(before, answer.breaker):
                return None

    def _report(self, report: ServiceReport) -> None:
        while True:
            before = self.breakers.read(self.service)
            after = report_service(before, self.run, report, self.now(), rest=self.rest)
            if after.breaker == before or self.breakers.swap(before, after.breaker):
                break
        if after.event is not None:
            self.tell(after.event)


def http_result(response: HttpResponse | HttpFailure) -> ServiceResult:
    """What a response shows about the service; a limit that was reached shows nothing."""
    if isinstance(response, HttpFailure) or response.status >= 500:
        return "failed"
    return None if response.status in (403, 429) else "worked"
