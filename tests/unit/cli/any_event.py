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


def anything(wanted: Any, text: st.SearchStrategy[str] = TEXT) -> st.SearchStrategy[Any]:
    """Values of a type as the domain uses types, with such texts."""
    if wanted is str:
        return text
    if wanted in PLAIN:
        return PLAIN[wanted]
    if is_dataclass(wanted):
        hints = get_type_hints(wanted)
        made = {f.name: anything(hints[f.name], text) for f in fields(wanted) if f.name != "type"}
        return st.builds(cast(type[Any], wanted), **made)
    if hasattr(wanted, "__supertype__"):
        # An id, which Treadle gives.
        return anything(wanted.__supertype__)
    origin, inner = get_origin(wanted), get_args(wanted)
    if origin is Literal:
        return st.sampled_from(inner)
    if origin in (Union, types.UnionType):
        return st.one_of([anything(each, text) for each in inner])
    if origin is tuple:
        return st.lists(anything(inner[0], text), max_size=3).map(tuple)
    assert origin is dict, wanted
    return st.dictionaries(text, st.one_of(JSON, text), max_size=3)


def events(
    text: st.SearchStrategy[str] = TEXT, without: tuple[type[Event], ...] = ()
) -> st.SearchStrategy[Event]:
    return st.one_of([anything(each, text) for each in get_args(Event) if each not in without])


def logs(of: st.SearchStrategy[Event]) -> st.SearchStrategy[list[RecordedEvent]]:
    return st.lists(st.tuples(MOMENT, of), min_size=1, max_size=6).map(
        lambda pairs: [
            RecordedEvent(RunId("run"), n, at, event) for n, (at, event) in enumerate(pairs, 1)
        ]
    )


LOGS = logs(events())
