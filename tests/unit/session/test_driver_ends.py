"""What ends a session: limits, people, money, faults; and it is closed whatever happens."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.builders import types_of
from tests.unit.session.driver_harness import (
    FINE,
    FOREVER,
    SESSION,
    make_driver_harness,
    said,
    signalled,
    tool_that,
)
from treadle.adapters.agents.replay.agent import ReplayPause, ReplayStep
from treadle.domain.agent import (
    SANDBOX_FAULT,
    AgentEnded,
    Allow,
    Decision,
    Deny,
    Fault,
    Heartbeat,
    LeftoverProcess,
    ResponseStarted,
    ResponseUsed,
    ToolUse,
)
from treadle.domain.errors import StoreError
from treadle.domain.events.agent import (
    AgentStarted,
    ProcessEnded,
    ToolCalled,
    ToolDecided,
)
from treadle.domain.events.all_events import Event
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
    TimeLimit,
)
from treadle.domain.usage import Usage

THOUSAND = Usage(input_tokens=1_000)
TOOL = ToolCalled("1", "Bash", {})


@pytest.mark.parametrize(
    ("moves", "limit"),
    [
        ((), "first_byte"),
        ((AgentStarted("m", "v", ()),), "first_byte"),
        ((ResponseStarted(), *said("working on it")), "idle"),
        ((ResponseStarted(), TOOL), "tool"),
        ((ResponseStarted(), TOOL), "wall"),
        ((ResponseStarted(),), "wall"),
    ],
)
async def test_a_silent_agent_is_ended_by_the_limit_it_reaches_first(
    moves: tuple[ReplayStep, ...], limit: TimeLimit
) -> None:
    harness = make_driver_harness(*moves, FOREVER, FINE)
    tiny: dict[str, Any] = {f"{limit}_s": 0.01}
    harness.limits = replace(harness.limits, **tiny)

    result = await harness.run()

    assert result.outcome == TimedOut(limit, 0.01)
    assert harness.agent.closed == 1


async def test_a_limit_that_passed_while_an_event_was_taken_ends_the_session() -> None:
    harness = make_driver_harness(FOREVER, wall_s=10)

    async def slow_heartbeat() -> None:
        harness.clock.advance(11)

    harness.agent.moves = (ReplayPause(slow_heartbeat), Heartbeat(), FOREVER)

    result = await harness.run()

    assert (result.outcome, result.duration_s) == (TimedOut("wall", 10), 11.0)


@pytest.mark.parametrize("moves", [(FOREVER,), (ResponseStarted(), TOOL, FOREVER)])
async def test_a_person_who_stops_the_run_cancels_the_session(
    moves: tuple[ReplayStep, ...],
) -> None:
    harness = make_driver_harness(*moves)
    asyncio.get_running_loop().call_soon(harness.stop.set)

    result = await harness.run()

    assert (result.outcome, harness.agent.closed) == (Cancelled(), 1)


async def test_a_session_that_has_ended_by_itself_is_not_cancelled_any_more() -> None:
    harness = make_driver_harness(FINE)
    harness.stop.set()

    result = await harness.run()

    assert (result.outcome, harness.agent.closed) == (Completed("all is well"), 1)


MILLION = ResponseUsed("sonnet", Usage(output_tokens=1_000_000))


async def test_the_budget_is_watched_by_our_own_meter() -> None:
    harness = make_driver_harness(MILLION, MILLION, MILLION, FINE, max_cost_usd=15.0)

    result = await harness.run()

    assert result == SessionResult(
        SESSION, BudgetExceeded(15.0), 20.0, Usage(output_tokens=2_000_000), 2, 0.0
    )
    assert types_of(harness.recorded) == ["usage.reported", "usage.reported"]
    assert harness.agent.closed == 1


@pytest.mark.parametrize(
    ("reported", "cost"), [(None, 10.0), (0.0, 10.0), (9.0, 10.0), (12.0, 12.0)]
)
async def test_the_dearer_of_the_two_figures_is_the_cost(
    reported: float | None, cost: float
) -> None:
    end = AgentEnded(Completed(""), cost_usd=reported)
    harness = make_driver_harness(MILLION, end, max_cost_usd=99.0)

    assert (await harness.run()).cost_usd == cost


async def test_a_model_without_a_known_price_makes_the_cost_an_estimate() -> None:
    harness = make_driver_harness(ResponseUsed("novel-model", THOUSAND), FINE)

    assert (await harness.run()).priced is False


SERVICE_FAILED = ExecutionError("Internal error", "retryable", of_service=True, status=500)
LIMIT_TEXT = "You've hit your limit · resets 6pm (UTC)"


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        (MaxTurns(50), MaxTurns(50)),
        (Fault(LIMIT_TEXT), QuotaExceeded(LIMIT_TEXT, datetime(2026, 5, 4, 18, tzinfo=UTC))),
        (Fault("segfault", exit_code=139), Crashed("segfault", 139)),
        (Fault("Internal error", api_status=500), SERVICE_FAILED),
        (Fault("Internal error", api_status=500, exit_code=1), SERVICE_FAILED),
        (Fault("connect ECONNRESET", exit_code=1), Crashed("connect ECONNRESET", 1)),
        (
            Fault("slow down", api_status=429),
            ExecutionError("slow down", "rate_limited", of_service=True, status=429),
        ),
        (Fault("what?"), ExecutionError("what?", "retryable")),
    ],
)
async def test_a_fault_is_given_its_meaning(end: Outcome | Fault, outcome: Outcome) -> None:
    assert (await make_driver_harness(AgentEnded(end)).run()).outcome == outcome


@pytest.mark.parametrize(
    ("status", "error_class"), [(401, "authentication"), (404, "fatal"), (402, "fatal")]
)
async def test_what_only_a_person_can_put_right_is_said_with_what_to_do(
    status: int, error_class: str
) -> None:
    outcome = (await make_driver_harness(AgentEnded(Fault("no", api_status=status))).run()).outcome

    assert isinstance(outcome, ExecutionError)
    assert outcome.error_class == error_class
    assert outcome.message.startswith("no (")


async def test_a_decision_is_recorded_before_the_tool_runs_and_a_refused_one_does_not_run() -> None:
    calls: list[Mapping[str, Any]] = []
    look = ToolUse("1", "mcp__treadle__look", {"at": "a"})
    harness = make_driver_harness(look, replace(look, id="2", input={"at": "b"}), FINE)

    async def only_a(use: ToolUse) -> Decision:
        return Allow() if use.input["at"] == "a" else Deny("not that one")

    def record(event: Event) -> None:
        if isinstance(event, ToolDecided):
            harness.events.append(replace(event, reason=f"{event.reason} after {len(calls)} calls"))

    harness.brief = replace(harness.brief, decide=only_a, tools=(tool_that(calls),))
    harness.record = record
    await harness.run()

    assert harness.events == [
        ToolDecided("1", "mcp__treadle__look", "allow", " after 0 calls"),
        ToolDecided("2", "mcp__treadle__look", "deny", "not that one after 1 calls"),
    ]
    assert calls == [{"at": "a"}]


async def test_a_tool_whose_decision_cannot_be_stored_does_not_run() -> None:
    calls: list[Mapping[str, Any]] = []
    harness = make_driver_harness(ToolUse("1", "mcp__treadle__look", {}), FINE)

    def record(event: Event) -> None:
        if isinstance(event, ToolDecided):
            raise StoreError("no space left")

    harness.brief = replace(harness.brief, tools=(tool_that(calls),))
    harness.record = record
    await harness.run()

    assert calls == []


async def test_processes_that_a_session_left_are_recorded_before_its_end() -> None:
    harness = make_driver_harness(FINE)
    harness.agent.leftovers = (LeftoverProcess(41, "sleep 9"), LeftoverProcess(42, "serve"))

    await harness.run()

    assert harness.recorded == [ProcessEnded(41, "sleep 9"), ProcessEnded(42, "serve")]
    assert harness.events[-1].type == "session.ended"


@pytest.mark.parametrize("moves", [(FINE,), (signalled("done", "done"), FOREVER)])
async def test_a_sandbox_that_outlives_its_session_undoes_what_the_session_said(
    moves: tuple[ReplayStep, ...],
) -> None:
    harness = make_driver_harness(*moves)
    harness.agent.after_close = AgentEnded(Fault("still there", subtype=SANDBOX_FAULT))

    assert (await harness.run()).outcome == SandboxError("still there")


@pytest.mark.parametrize("refused", ["agent.spoke", "tool.called", "usage.reported"])
async def test_a_log_that_takes_no_more_events_still_closes_the_agent(refused: str) -> None:
    harness = make_driver_harness(*said("hi"), ToolUse("1", "Bash", {}), MILLION, FOREVER)

    def record(event: Event) -> None:
        if event.type == refused:
            raise StoreError("no space left")

    harness.record = record
    with pytest.raises(StoreError):
        await harness.run()

    assert harness.agent.closed == 1


async def test_a_driver_that_is_cancelled_closes_the_agent_and_leaves_no_task() -> None:
    reached = asyncio.Event()

    async def reach_and_wait() -> None:
        reached.set()
        await asyncio.Event().wait()

    harness = make_driver_harness(ResponseStarted(), ReplayPause(reach_and_wait))
    driving = asyncio.ensure_future(harness.run())
    await reached.wait()

    driving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await driving
    await asyncio.sleep(0)

    assert harness.agent.closed == 1
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_an_agent_that_breaks_its_promise_is_closed_too() -> None:
    async def broken() -> None:
        raise RuntimeError("an agent never raises")

    harness = make_driver_harness(ReplayPause(broken))
    with pytest.raises(RuntimeError, match="never raises"):
        await harness.run()

    assert harness.agent.closed == 1
