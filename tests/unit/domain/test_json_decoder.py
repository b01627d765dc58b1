"""Events are read as pydantic reads them: what its strict mode takes, and nothing more than its
lax one does."""

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from tests.builders import EVENTS, JSON
from treadle.domain.events.all_events import Event
from treadle.domain.json_decoder import JsonMismatch, decoder_of
from treadle.domain.wire import encode


@cache
def adapter(kind: Any) -> TypeAdapter[Event]:
    return TypeAdapter(kind)


def by_pydantic(kind: Any, body: str, *, strict: bool) -> Event | None:
    try:
        return adapter(kind).validate_json(body, strict=strict)
    except ValidationError:
        return None


def by_decoder(kind: Any, body: str) -> Event | None:
    try:
        decoded: Event = decoder_of(kind)(json.loads(body))
    except JsonMismatch:
        return None
    return decoded


@st.composite
def altered_events(draw: st.DrawFn) -> tuple[type[Event], str]:
    """An event in which one value is another one, or is absent."""
    event = draw(EVENTS)
    tree: Any = json.loads(encode(event))
    place = tree
    while True:
        keys = list(range(len(place))) if isinstance(place, list) else sorted(place)
        key = draw(st.sampled_from(keys))
        if not isinstance(place[key], list | dict) or not place[key] or draw(st.booleans()):
            break
        place = place[key]
    if draw(st.booleans()):
        place[key] = draw(JSON)
    else:
        del place[key]
    return type(event), json.dumps(tree)


@settings(deadline=None)
@given(altered_events())
def test_an_altered_event_is_read_as_pydantic_does(altered: tuple[type[Event], str]) -> None:
    kind, body = altered
    decoded = by_decoder(kind, body)

    strict = by_pydantic(kind, body, strict=True)
    if strict is not None:
        assert decoded == strict
    if decoded is not None:
        assert decoded == by_pydantic(kind, body, strict=False)


@pytest.mark.parametrize("wanted", [bytes, set[str], tuple[int, str]])
def test_a_type_that_events_do_not_have_is_refused(wanted: Any) -> None:
    with pytest.raises(TypeError, match="no decoder for"):
        decoder_of(wanted)
