"""Events of every type with every kind of nasty text in them, for properties that hold always."""

import types
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.ids import RunId

NASTY = st.sampled_from(
    (
        *("\x1b[31m", "\x1b]0;title\x07", "\x1b[2J", "\x9b1A", "\x1b", "\r", "\n", "\t", "\x00"),
        *("\x85", "\u202e", "\u200d", "\u2028", "e\u0301", "日本語", "👩\u200d💻", "\ud800"),
        *("word " * 30, "w" * 200),
    )
)
TEXT = st.lists(st.one_of(NASTY, st.text(max_size=10)), max_size=8).map("".join)
MOMENT = st.datetimes(
    min_value=datetime(2020, 1, 1),  # noqa: DTZ001  # hypothesis wants them bare
    max_value=datetime(2040, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), TEXT),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXT,
    bool: st.booleans(),
    int: st.integers(min_value=0, max_value=10**6),
    float: st.floats(min_value=0, max_value=10**6),
    datetime: MOMENT,
    type(None): st.none(),
}


def anything(wanted: Any) -> st.SearchStrategy[Any]:
    """Values of a type as the domain uses types."""
    if wanted in PLAIN:
        return PLAIN[wanted]
    if is_dataclass(wanted):
        hints = get_type_hints(wanted)
        made = {f.name: anything(hints[f.name]) for f in fields(wanted) if f.name != "type"}
        return st.builds(cast(type[Any], wanted), **made)
    if hasattr(wanted, "__supertype__"):
        return anything(wanted.__supertype__)
    origin, inner = get_origin(wanted), get_args(wanted)
    if origin is Literal:
        return st.sampled_from(inner)
    if origin in (Union, types.UnionType):
        return st.one_of([anything(each) for each in inner])
    if origin is tuple:
        return st.lists(anything(inner[0]), max_size=3).map(tuple)
    assert origin is dict, wanted
    return st.dictionaries(TEXT, JSON, max_size=3)


EVENTS: st.SearchStrategy[Event] = st.one_of([anything(each) for each in get_args(Event)])
LOGS = st.lists(st.tuples(MOMENT, EVENTS), min_size=1, max_size=6).map(
    lambda pairs: [
        RecordedEvent(RunId("run"), n, at, event) for n, (at, event) in enumerate(pairs, 1)
    ]
)
