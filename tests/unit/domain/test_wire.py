"""Every event goes into the log and comes back; its name on the wire is for ever."""

import json
import re
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import EVENTS, MOMENTS, NOON, RUN
from treadle.domain.events.agent import AgentSpoke, ToolCalled
from treadle.domain.events.all_events import DISPLAY_ONLY, Event, RecordedEvent
from treadle.domain.wire import decode, encode, encode_recorded, event_types

ALL: tuple[type[Event], ...] = get_args(Event)

# Where a secret of the environment could travel unseen.
FORBIDDEN = re.compile(r"env|environment|environ|secret|token|api_?key|password|credential")
COUNTED = {
    "input_tokens",
    "output_tokens",
    "cache_write_tokens",
    "cache_write_1h_tokens",
    "cache_read_tokens",
}


@settings(deadline=None)
@given(EVENTS)
def test_every_event_comes_back_from_the_wire_as_it_was(event: Event) -> None:
    assert decode(encode(event)) == event


@settings(deadline=None)
@given(EVENTS, MOMENTS, st.integers(1, 2**53))
def test_a_line_of_json_output_holds_the_envelope_and_the_event_as_it_is_stored(
    event: Event, at: datetime, seq: int
) -> None:
    line = encode_recorded(RecordedEvent(RUN, seq, at, event))

    assert b"\n" not in line
    read = json.loads(line)
    assert list(read) == ["run", "seq", "at", "event"]
    assert (read["run"], read["seq"]) == (RUN, seq)
    assert read["at"].endswith("Z")
    assert read["event"]["type"] == event.type


def test_wire_names_are_unique() -> None:
    assert sorted(event_types().values(), key=str) == sorted(ALL, key=str)


@pytest.mark.parametrize("event", ALL)
def test_a_wire_name_is_a_noun_and_what_happened_to_it(event: type[Event]) -> None:
    name = str(event.__dataclass_fields__["type"].default)

    noun, participle = name.split(".")
    assert re.fullmatch("[a-z]+(_[a-z]+)*", noun)
    assert re.fullmatch("[a-z]+", participle)
    assert event.__name__.lower() == noun.replace("_", "") + participle


def names_in(wanted: Any) -> set[str]:
    """The names of all fields below a type."""
    if is_dataclass(wanted):
        hints = get_type_hints(wanted)
        inner = [names_in(hints[f.name]) for f in fields(wanted)]
        return {f.name for f in fields(wanted)}.union(*inner)
    return set().union(*(names_in(each) for each in get_args(wanted)))


@pytest.mark.parametrize("event", ALL)
def test_no_event_has_a_field_for_values_of_the_environment(event: type[Event]) -> None:
    found = {name for name in names_in(event) - COUNTED if FORBIDDEN.search(name)}

    assert found == set()


def test_only_what_fills_the_screen_may_be_stored_late() -> None:
    assert {event.__dataclass_fields__["type"].default for event in DISPLAY_ONLY} == {
        "agent.spoke",
        "agent.thought",
        "tool.called",
        "tool.finished",
        "message.skipped",
        "prompt.sent",
    }


@pytest.mark.parametrize(
    "body",
    [
        '{"type":"star.born","name":"Vega"}',
        '{"name":"Vega"}',
        '{"type":"run.paused","reason":"quota","until":"some day"}',
        '{"type":"phase.started","number":1,"phase":"dancing"}',
    ],
)
def test_what_only_a_newer_version_can_read_is_left_out(body: str) -> None:
    assert decode(body) is None


def test_a_field_that_a_newer_version_added_is_passed_over() -> None:
    assert decode('{"type":"agent.spoke","text":"hi","mood":"fine"}') == AgentSpoke("hi")


def nested(depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = {}
    for _ in range(depth):
        inner = {"a": inner}
    return inner


@pytest.mark.parametrize(
    ("event", "stored"),
    [
        (AgentSpoke("half an emoji \ud83d"), AgentSpoke("half an emoji \ufffd")),
        (AgentSpoke("a whole one in halves \ud83d\ude00"), AgentSpoke("a whole one in halves 😀")),
        (
            ToolCalled("1", "Bash", {"n": 2**80, "\ud800": 1}),
            ToolCalled("1", "Bash", {"n": "0x100000000000000000000", "\ufffd": 1}),
        ),
    ],
)
def test_what_json_cannot_say_is_stored_as_something_legible(event: Event, stored: Event) -> None:
    assert decode(encode(event)) == stored
    assert shown(event) == json.loads(encode(stored))


def shown(event: Event) -> Any:
    return json.loads(encode_recorded(RecordedEvent(RUN, 1, NOON, event)))["event"]


def test_arguments_nested_without_end_are_cut_and_stored() -> None:
    stored = decode(encode(ToolCalled("1", "Bash", nested(300))))

    assert isinstance(stored, ToolCalled)
    assert "…" in str(stored.input)
