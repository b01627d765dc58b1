"""A service that fails again and again is left alone, and probed by one request."""

from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count

from tests.builders import FakeClock
from treadle.adapters.stores.service_health import MemoryBreakers
from treadle.domain.events.oversight import BreakerClosed, BreakerOpened
from treadle.domain.http import HttpFailure, HttpResponse, OutgoingRequest
from treadle.session.http_breaker import HttpBreaker

REQUEST = OutgoingRequest("GET", "https://api.github.com/")
FINE, DOWN, CUT = HttpResponse(200), HttpResponse(502), HttpFailure("no answer in time")


@dataclass
class ScriptedSender:
    """The `HttpSender` port over a list of responses."""

    responses: list[HttpResponse | HttpFailure]
    sent: int = 0

    async def send(self, request: OutgoingRequest) -> HttpResponse | HttpFailure:
        self.sent += 1
        return self.responses.pop(0)


@dataclass
class Service:
    """One service with its breaker, as two runs use it."""

    sender: ScriptedSender
    clock: FakeClock = field(default_factory=FakeClock)
    breakers: MemoryBreakers = field(default_factory=MemoryBreakers)
    told: list[BreakerOpened | BreakerClosed] = field(default_factory=list)
    numbers: "count[int]" = field(default_factory=count)

    def of(self, run: str) -> HttpBreaker:
        return HttpBreaker(
            self.sender,
            self.breakers,
            "GitHub at github.com",
            run,
            self.clock.now,
            lambda: f"{next(self.numbers)}",
            tell=self.told.append,
        )


async def test_after_three_failures_nobody_asks_for_five_minutes() -> None:
    service = Service(ScriptedSender([DOWN, CUT, DOWN]))
    for _ in range(3):
        await service.of("one").send(REQUEST)

    refused = await service.of("two").send(REQUEST)

    until = service.clock.now() + timedelta(minutes=5)
    reason = "it failed 3 times in a row, the last time with: 502"
    assert refused == HttpFailure(f"GitHub at github.com is left alone: {reason}", until)
    assert service.sender.sent == 3
    assert service.told == [BreakerOpened("GitHub at github.com", reason, until)]


async def test_then_one_run_probes_and_success_lets_all_ask_again() -> None:
    service = Service(ScriptedSender([DOWN, DOWN, DOWN, FINE, FINE]))
    for _ in range(3):
        await service.of("one").send(REQUEST)
    service.clock.advance(301)

    assert await service.of("two").send(REQUEST) == FINE
    assert await service.of("one").send(REQUEST) == FINE
    assert service.told[1:] == [BreakerClosed("GitHub at github.com")]


async def test_limits_and_refusals_are_no_failures_of_the_service() -> None:
    answers = [HttpResponse(status) for status in (403, 429, 404, 422, 403, 429)]
    service = Service(ScriptedSender([*answers, FINE]))

    for _ in range(6):
        await service.of("one").send(REQUEST)

    assert await service.of("one").send(REQUEST) == FINE
    assert service.told == []


async def test_a_success_between_failures_begins_the_count_anew() -> None:
    service = Service(ScriptedSender([DOWN, DOWN, FINE, DOWN, DOWN, FINE]))

    for _ in range(5):
        await service.of("one").send(REQUEST)

    assert await service.of("one").send(REQUEST) == FINE
