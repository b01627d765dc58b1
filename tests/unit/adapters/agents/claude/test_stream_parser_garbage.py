"""Whatever a binary prints, the parser goes on, and what it yields can be stored and read back."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.unit.adapters.agents.claude.recorded_streams import every_message
from treadle.adapters.agents.claude.stream_parser import StreamParser
from treadle.domain import wire
from treadle.domain.agent import (
    AgentEnded,
    AgentEvent,
    Fault,
    Heartbeat,
    ResponseStarted,
    ResponseUsed,
    TextClosed,
    TextStreamed,
)
from treadle.domain.events.agent import AgentSpoke, MessageSkipped, UsageReported
from treadle.domain.events.all_events import Event
from treadle.domain.events.session import SessionEnded
from treadle.domain.ids import SessionId
from treadle.domain.session import Completed, Outcome, SessionResult
from treadle.domain.usage import Usage

TEXT = st.text(st.characters(exclude_categories=()), max_size=20)  # half surrogate pairs included
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from((10**400, -(2**63), 2**64, -1))
    | st.floats()
    | TEXT
)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4)
)
TYPES = st.sampled_from(
    ("stream_event", "assistant", "user", "system", "rate_limit_event", "result", "weather")
)


def stored(event: AgentEvent) -> list[Event]:
    """The events of the log that an agent's event becomes."""
    match event:
        case TextStreamed(text):
            return [AgentSpoke(text)]
        case ResponseUsed(model, usage):
            return [UsageReported(model, usage, 0.0)]
        case AgentEnded(outcome, cost, usage, turns):
            judged: Outcome = Completed(repr(outcome)) if isinstance(outcome, Fault) else outcome
            used = usage or Usage()
            return [
                SessionEnded(SessionResult(SessionId("s"), judged, cost or 0.0, used, turns, 0.0))
            ]
        case TextClosed() | Heartbeat() | ResponseStarted():
            return []
        case _:
            return [event]


def check(message: dict[str, Any]) -> None:
    events = StreamParser(max_cost_usd=1.0).parse(message)

    assert events
    assert sum(isinstance(event, AgentEnded) for event in events) == (
        message.get("type") == "result"
    )
    for event in events:
        for written in stored(event):
            body = wire.encode(written)
            assert len(body) < 100_000
            assert wire.encode(wire.decode(body) or written) == body


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(TEXT, JSON, max_size=5), TYPES | JSON)
@example({}, [[]])
@example({"subtype": "init", "tools": ["\ud800", 3, {"a": 1}], "model": "\udfff"}, "system")
@example({"subtype": "api_retry", "retry_delay_ms": 10**400, "attempt": -1}, "system")
@example({"subtype": "api_retry", "retry_delay_ms": float("inf")}, "system")
@example({"total_cost_usd": float("nan"), "num_turns": 2**70, "errors": [1, None]}, "result")
@example({"rate_limit_info": {"resetsAt": 1e300, "rateLimitType": "x"}}, "rate_limit_event")
@example({"message": {"content": [{"type": "tool_use", "input": {"\ud800": 2**70}}]}}, "assistant")
@example({"event": {"type": "message_start", "message": {"model": "m" * 9999}}}, "stream_event")
def test_any_object_is_read_without_a_fall(message: dict[str, Any], kind: object) -> None:
    check({**message, "type": kind})


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    keys = (
        range(len(value)) if isinstance(value, list) else value if isinstance(value, dict) else ()
    )
    for key in keys:
        yield from places(value[key], (*path, key))


def replaced(message: dict[str, Any], path: tuple[Any, ...], value: object) -> dict[str, Any]:
    changed = copy.deepcopy(message)
    target: Any = changed
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return changed


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_recorded_message_with_anything_in_any_place_is_read(data: st.DataObject) -> None:
    message: dict[str, Any] = json.loads(data.draw(st.sampled_from(every_message())))
    path = data.draw(st.sampled_from([path for path in places(message) if path]))

    check(replaced(message, path, data.draw(JSON)))


@pytest.mark.parametrize("line", every_message())
def test_a_recorded_message_without_any_one_of_its_fields_is_read(line: str) -> None:
    message = json.loads(line)
    for key in message:
        check({name: value for name, value in message.items() if name != key})


def test_a_message_of_a_kind_to_come_is_passed_over_by_name() -> None:
    parser = StreamParser(max_cost_usd=1.0)

    kinds: list[dict[str, Any]] = [
        {"type": "weather"},
        {"type": "system", "subtype": "weather"},
        {"type": 7},
        {},
    ]
    assert [parser.parse(message) for message in kinds] == [
        [MessageSkipped("weather")],
        [MessageSkipped("system/weather")],
        [MessageSkipped("untyped")],
        [MessageSkipped("untyped")],
    ]


def test_a_deeply_nested_tool_input_is_bounded() -> None:
    nested: Any = "deep"
    for _ in range(5000):
        nested = {"in": nested}
    block = {"type": "tool_use", "id": "t", "name": "n", "input": nested}

    check(
        {"type": "assistant", "message": {"content": [block, {**block, "input": {"a": [nested]}}]}}
    )


def test_a_megabyte_of_input_becomes_a_small_event() -> None:
    wide = {str(number): {"y": ["x" * 100_000] * 99} for number in range(99)}
    block = {"type": "tool_use", "id": "i" * 10_000, "name": "n" * 10_000, "input": wide}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "y" * 3_000_000}

    check({"type": "assistant", "message": {"content": [block]}})
    check({"type": "user", "message": {"content": [result]}})
