"""While a session waits for us or for a person, none of its clocks runs."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Literal

import pytest

from tests.builders import SESSION_LIMITS, FakeClock
from tests.unit.session.driver_harness import FINE, make_driver_harness
from treadle.domain.agent import AgentEvent, Allow, Decision, Heartbeat, ResponseStarted, ToolUse
from treadle.domain.events.agent import ToolCalled, ToolFinished
from treadle.domain.session import Completed, TimedOut
from treadle.session.time_limits import OpenTool, start_clocks
from treadle.session.time_limits import open_calls as at_work
from treadle.session.wait_clock import WaitClock
from treadle.session.watchdog import Watchdog

LIMITS = replace(SESSION_LIMITS, idle_s=22, first_byte_s=60, tool_s=300, wall_s=3000)
DAY_S = 86_400.0


def test_time_counts_once_however_many_are_asked_about() -> None:
    clock = FakeClock()
    wait_clock = WaitClock(clock)
    seen = [(wait_clock.is_waiting, wait_clock.seconds)]
    clock.advance(5)
    with wait_clock.waiting_for("1"):
        clock.advance(10)
        with wait_clock.waiting_for("2"):
            clock.advance(10)
            seen.append((wait_clock.is_waiting, wait_clock.seconds))
        clock.advance(10)
    clock.advance(10)
    seen.append((wait_clock.is_waiting, wait_clock.seconds))
    with wait_clock.waiting_for("1"):
        clock.advance(1)
    seen.append((wait_clock.is_waiting, wait_clock.seconds))

    assert seen == [(False, 0.0), (True, 20.0), (False, 30.0), (False, 31.0)]


@dataclass
class Watched:
    """A watchdog over steps of a test; each says what came after it, if anything did."""

    steps: list[Callable[["Watched"], AgentEvent | None]]
    clock: FakeClock = field(default_factory=FakeClock)

    def __post_init__(self) -> None:
        self.wait_clock = WaitClock(self.clock)
        self.watchdog = Watchdog(self._wait, self.clock, LIMITS, lambda: None, self.wait_clock)

    async def _wait(self, within_s: float) -> AgentEvent | Literal["stopped", "late"]:
        if self.steps:
            return self.steps.pop(0)(self) or "late"
        self.clock.advance(within_s)
        return "late"

    async def seen(self) -> list[object]:
        told: list[object] = []
        while not told or not isinstance(told[-1], TimedOut):
            told.append(await self.watchdog.next_event())
        return told


TOOL = ToolCalled("1", "Bash", {"command": "npm publish"})


def called(watched: Watched) -> AgentEvent:
    watched.clock.advance(1)
    return TOOL


def answered_after_a_day(watched: Watched) -> None:
    with watched.wait_clock.waiting_for("1"):
        watched.clock.advance(DAY_S)


def finished(watched: Watched) -> AgentEvent:
    watched.clock.advance(1)
    return ToolFinished("1", "", is_error=False)


async def test_a_person_may_think_for_a_day() -> None:
    watched = Watched([called, answered_after_a_day, finished, lambda _: ResponseStarted()])

    found = await watched.seen()

    assert found[-1] == TimedOut("idle", 22)
    assert watched.clock.passed_s == DAY_S + 2 + 22


async def test_a_tool_has_all_of_its_time_after_the_answer() -> None:
    watched = Watched([called, answered_after_a_day])

    assert await watched.seen() == [TOOL, TimedOut("tool", 300)]
    assert watched.clock.passed_s == DAY_S + 1 + 300


async def test_signs_of_life_in_a_recess_do_not_start_any_clock() -> None:
    def beats(watched: Watched) -> AgentEvent:
        with watched.wait_clock.waiting_for("1"):
            watched.clock.advance(4000)
        return Heartbeat()

    watched = Watched([called, beats, beats, beats])

    assert (await watched.seen())[-1] == TimedOut("tool", 300)
    assert watched.clock.passed_s == 3 * 4000 + 1 + 300


def test_it_is_no_recess_while_another_use_goes_on() -> None:
    clock = FakeClock()
    wait_clock = WaitClock(clock)
    seen = []
    with wait_clock.waiting_for("1"):
        for under_way in ({"1"}, {"1", "2"}, {"2"}, {"1"}, set()):
            wait_clock.set_open_calls(frozenset(under_way))
            clock.advance(10)
            seen.append((wait_clock.is_waiting, wait_clock.seconds))
    wait_clock.set_open_calls(frozenset({"1"}))
    clock.advance(10)
    seen.append((wait_clock.is_waiting, wait_clock.seconds))

    assert seen == [
        (True, 10.0),
        (False, 10.0),
        (False, 10.0),
        (True, 20.0),
        (True, 30.0),
        (False, 30.0),
    ]


@pytest.mark.parametrize(
    ("calls", "under_way"),
    [
        ((), set()),
        (("1", None), {"1"}),
        (("1", None, "2", None), {"1", "2"}),
        (("1", None, "2", "1"), {"2"}),
        (("1", None, "2", "1", "3", "2", "4", None), {"3", "4"}),
    ],
)
def test_a_sub_agent_waits_with_its_own_calls(
    calls: tuple[str | None, ...], under_way: set[str]
) -> None:
    tools = tuple(
        OpenTool(str(each), 0, parent) for each, parent in zip(calls[::2], calls[1::2], strict=True)
    )

    assert at_work(replace(start_clocks(0), open_tools=tools)) == under_way


async def test_a_use_beside_one_that_a_person_thinks_about_has_its_limit() -> None:
    beside = ToolCalled("2", "Bash", {"command": "sleep 9999"})
    watched = Watched([called, lambda _: beside])

    with watched.wait_clock.waiting_for("1"):
        assert await watched.seen() == [TOOL, beside, TimedOut("tool", 300)]
    assert watched.clock.passed_s == 1 + 300


async def test_a_use_that_waited_beside_another_has_all_of_its_time_afterwards() -> None:
    beside = ToolCalled("2", "Bash", {"command": "make"})
    allowed = ExitStack()

    def ask(watched: Watched) -> AgentEvent:
        allowed.enter_context(watched.wait_clock.waiting_for("1"))
        return beside

    def goes_on(watched: Watched) -> None:
        watched.clock.advance(5)

    def made(watched: Watched) -> AgentEvent:
        watched.clock.advance(5)
        return ToolFinished("2", "", is_error=False)

    def answered(watched: Watched) -> None:
        watched.clock.advance(DAY_S)
        allowed.close()

    watched = Watched([called, ask, *[goes_on] * 40, made, answered])

    assert (await watched.seen())[-1] == TimedOut("tool", 300)
    assert watched.clock.passed_s == 1 + 40 * 5 + 5 + DAY_S + 300


async def test_waiting_for_a_decision_is_no_part_of_a_sessions_duration() -> None:
    harness = make_driver_harness(ToolUse("1", "Bash", {"command": "npm publish"}), FINE, wall_s=60)

    async def decide(use: ToolUse) -> Decision:
        harness.clock.advance(DAY_S)
        return Allow()

    harness.brief = replace(harness.brief, decide=decide)

    result = await harness.run()

    assert (result.outcome, result.duration_s) == (Completed("all is well"), 0.0)
