"""An approval with its state and answer as JSON, the same for every command."""

from dataclasses import asdict
from typing import Any, Literal, assert_never

import orjson

from treadle.domain.approval import (
    Answer,
    ApprovalRecord,
    LapsedQuestion,
    Settlement,
    VoidedQuestion,
)

ApprovalState = Literal["open", "answered", "lapsed", "voided"]


def approval_document(standing: ApprovalRecord) -> dict[str, Any]:
    """The fields of the question, its state, and how it was settled (null while it is open)."""
    return {
        **asdict(standing.approval),
        "state": approval_state(standing.settled),
        "settled": standing.settled,
    }


def approval_state(settled: Settlement | None) -> ApprovalState:
    match settled:
        case None:
            return "open"
        case Answer():
            return "answered"
        case LapsedQuestion():
            return "lapsed"
        case VoidedQuestion():
            return "voided"
        case _:
            assert_never(settled)


def encode_json(content: object) -> bytes:
    return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z)
