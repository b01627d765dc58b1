"""The watchdog waits in small steps, so that it can tell a sleeping machine from a silent agent."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from tests.builders import SESSION_LIMITS, FakeClock
from treadle.domain.agent import AgentEvent, Heartbeat, ResponseStarted
from treadle.domain.events.agent import ToolCalled
from treadle.domain.session import TimedOut
from treadle.session.watchdog import Watchdog

LIMITS = replace(SESSION_LIMITS, idle_s=22, first_byte_s=60, tool_s=300, wall_s=3000)
NIGHT_S = 8 * 3600.0
LARGEST_STEP_S = 10

# After so many seconds this came; None: nothing had come in the time that was asked for.
Wait: TypeAlias = tuple[float, AgentEvent | Literal["stopped"]] | float


@dataclass
class WatchdogHarness:
    """A watchdog over scripted waits; endless silence follows them."""

    waits: Iterable[Wait] = ()
    processor: Callable[[], float | None] = lambda: None
    clock: FakeClock = field(default_factory=FakeClock)
    asked: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._waits = iter(self.waits)
        self.watchdog = Watchdog(self._wait, self.clock, LIMITS, self.processor)

    async def _wait(self, within_s: float) -> AgentEvent | Literal["stopped", "late"]:
        self.asked.append(within_s)
        match next(self._waits, within_s):
            case (seconds, event):
                self.clock.advance(seconds)
                return event
            case seconds:
                self.clock.advance(seconds)
                return "late"

    async def events(self) -> list[object]:
        """Everything until the end of the watchdog."""
        events: list[object] = []
        while not events or not (events[-1] == "stopped" or isinstance(events[-1], TimedOut)):
            events.append(await self.watchdog.next_event())
        return events


async def test_a_silent_session_times_out_at_its_limit_after_short_waits() -> None:
    harness = WatchdogHarness([(1.0, ResponseStarted())])

    assert await harness.events() == [ResponseStarted(), TimedOut("idle", 22)]
    assert max(harness.asked) <= LARGEST_STEP_S
    assert harness.clock.passed_s == 23.0


async def test_a_closed_lid_ends_no_session() -> None:
    harness = WatchdogHarness([(1.0, ResponseStarted()), 5.0, NIGHT_S, 5.0, (1.0, Heartbeat())])

    assert await harness.events() == [ResponseStarted(), Heartbeat(), TimedOut("idle", 22)]
    assert harness.clock.passed_s == NIGHT_S + 12 + 22


async def test_a_night_is_no_reason_even_for_the_last_moment_of_a_limit() -> None:
    harness = WatchdogHarness(
        [(1.0, ResponseStarted()), 5.0, 5.0, 5.0, 5.0, NIGHT_S, (1.0, Heartbeat())]
    )

    assert (await harness.events())[:2] == [ResponseStarted(), Heartbeat()]


async def test_what_came_first_after_waking_is_heard() -> None:
    harness = WatchdogHarness([(1.0, ResponseStarted()), (NIGHT_S, Heartbeat())])

    assert (await harness.events())[:2] == [ResponseStarted(), Heartbeat()]


async def test_a_session_that_never_falls_silent_still_has_its_wall_limit() -> None:
    harness = WatchdogHarness(
        [(20.0, Heartbeat() if n else ResponseStarted()) for n in range(1000)]
    )

    assert (await harness.events())[-1] == TimedOut("wall", 3000)
    assert harness.clock.passed_s == 3000.0


async def test_a_silent_agent_that_computes_is_left_alone_until_it_rests() -> None:
    used = iter([0.0, 4.0, 8.0, 12.0, 16.0, 20.0])
    harness = WatchdogHarness([(1.0, ResponseStarted())], processor=lambda: next(used, 20.0))

    assert (await harness.events())[-1] == TimedOut("idle", 22)
    assert harness.clock.passed_s > 23.0 + 22.0


async def test_computing_does_not_lengthen_a_tool_call() -> None:
    used = iter(range(10_000))
    tool = ToolCalled("1", "Bash", {})
    harness = WatchdogHarness([(1.0, tool)], processor=lambda: float(next(used) * 5))

    assert await harness.events() == [tool, TimedOut("tool", 300)]
    assert (harness.clock.passed_s, next(used)) == (301.0, 0)


async def test_a_stop_is_heard_at_once() -> None:
    assert await WatchdogHarness([(1.0, "stopped")]).events() == ["stopped"]
