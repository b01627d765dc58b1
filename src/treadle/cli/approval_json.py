"""A question and its answer as JSON, the same wherever a command prints one."""

from dataclasses import asdict
from typing import Any, Literal, assert_never

import orjson

from treadle.domain.approval import Answer, Lapsed, Settled, Standing, Voided

State = Literal["open", "answered", "lapsed", "voided"]


def document(standing: Standing) -> dict[str, Any]:
    """The fields of the question, its state, and how it was settled (null while it is open)."""
    return {
        **asdict(standing.approval),
        "state": state_of(standing.settled),
        "settled": standing.settled,
    }


def state_of(settled: Settled | None) -> State:
    match settled:
        case None:
            return "open"
        case Answer():
            return "answered"
        case Lapsed():
            return "lapsed"
        case Voided():
            return "voided"
        case _:
            assert_never(settled)


def as_json(content: object) -> bytes:
    return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z)
