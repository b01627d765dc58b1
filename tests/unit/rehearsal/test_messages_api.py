"""A turn becomes the bytes that the real Messages API would send, fault for fault."""

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.domain.usage import Usage
from treadle.rehearsal.messages_api import (
    JsonObject,
    ReplyContext,
    fill_in_workspace,
    message_body,
    split_text,
    stream_events,
)
from treadle.rehearsal.response_steps import (
    DropConnection,
    FinishResponse,
    HangConnection,
    PauseStep,
    ResponseStep,
    SendBody,
    SendHead,
    TurnContext,
    turn_steps,
)
from treadle.rehearsal.turns import (
    ApiError,
    InvalidBody,
    ModelReply,
    NoResponse,
    QuotaSpent,
    QuotaWarning,
    ReplyText,
    ReplyThinking,
    StreamEvent,
    ToolCall,
    Turn,
    TurnAnswer,
)

SETTING = ReplyContext(id="1", model="sonnet", workspace="/w")
USAGE = {
    "input_tokens": 1,
    "cache_creation_input_tokens": 3,
    "cache_read_input_tokens": 4,
    "cache_creation": {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 0},
    "output_tokens": 2,
    "service_tier": "standard",
}
MESSAGE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "sonnet",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": USAGE | {"output_tokens": 1},
}
REPLY = ModelReply(
    (ReplyThinking("Hm"), ReplyText("Bravo"), ToolCall("Write", {"file_path": "${workspace}/a"})),
    stop_reason="tool_use",
    usage=Usage(1, 2, 3, 4),
    chunk=3,
)


def delta(index: int, **body: str) -> JsonObject:
    return {"type": "content_block_delta", "index": index, "delta": body}


def test_a_reply_streams_as_the_events_of_the_api() -> None:
    tool = {"type": "tool_use", "id": "toolu_1_2", "name": "Write", "input": {}}
    thinking = {"type": "thinking", "thinking": "", "signature": ""}
    written = split_text('{"file_path": "/w/a"}', 3)

    assert list(stream_events(REPLY, SETTING)) == [
        {"type": "message_start", "message": MESSAGE},
        {"type": "ping"},
        {"type": "content_block_start", "index": 0, "content_block": thinking},
        delta(0, type="thinking_delta", thinking="Hm"),
        delta(0, type="signature_delta", signature="c2NyaXB0ZWQ="),
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        delta(1, type="text_delta", text="Bra"),
        delta(1, type="text_delta", text="vo"),
        {"type": "content_block_stop", "index": 1},
        {"type": "content_block_start", "index": 2, "content_block": tool},
        *(delta(2, type="input_json_delta", partial_json=piece) for piece in written),
        {"type": "content_block_stop", "index": 2},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 2},
        },
        {"type": "message_stop"},
    ]


def test_a_reply_without_a_stream_is_one_body() -> None:
    assert message_body(REPLY, SETTING) == MESSAGE | {
        "stop_reason": "tool_use",
        "usage": USAGE,
        "content": [
            {"type": "thinking", "thinking": "Hm", "signature": "c2NyaXB0ZWQ="},
            {"type": "text", "text": "Bravo"},
            {
                "type": "tool_use",
                "id": "toolu_1_2",
                "name": "Write",
                "input": {"file_path": "/w/a"},
            },
        ],
    }


def test_a_stream_event_is_passed_on_and_counts_as_no_block() -> None:
    reply = ModelReply((StreamEvent({"type": "new"}), ReplyText("a")))

    events = list(stream_events(reply, SETTING))

    assert events[2] == {"type": "new"}
    assert [event["index"] for event in events if "index" in event] == [0, 0, 0]
    assert message_body(reply, SETTING)["content"] == [{"type": "text", "text": "a"}]


@given(st.text(), st.integers(1, 20))
def test_pieces_join_to_the_text_they_were_cut_from(text: str, size: int) -> None:
    cut = split_text(text, size)

    assert "".join(cut) == text
    assert all(len(piece) == size for piece in cut[:-1])


@pytest.mark.parametrize(
    ("value", "workspace", "filled"),
    [
        ("${workspace}/a ${workspace}", "/w", "/w/a /w"),
        ({"a": ["${workspace}", 1, None]}, "/w", {"a": ["/w", 1, None]}),
        ("$workspace ${other}", "/w", "$workspace ${other}"),
        ("${workspace}", None, "${workspace}"),
    ],
)
def test_the_workspace_is_filled_in_wherever_it_is_named(
    value: object, workspace: str | None, filled: object
) -> None:
    assert fill_in_workspace(value, workspace) == filled


def played(turn: Turn, *, streaming: bool = True) -> list[ResponseStep]:
    return list(turn_steps(turn, TurnContext(SETTING, streaming=streaming, unix_now=1000.4)))


def shape(taken: Iterable[ResponseStep]) -> list[ResponseStep | str]:
    """The steps, with the event's name in the place of each event."""
    return [
        step.content.decode().split("\n")[0].removeprefix("event: ")
        if isinstance(step, SendBody)
        else step
        for step in taken
    ]


STREAM = SendHead(
    200, {"content-type": "text/event-stream; charset=utf-8", "request-id": "req_1"}, None
)
HALF: list[ResponseStep | str] = [
    "message_start",
    "ping",
    "content_block_start",
    "content_block_delta",
]
WHOLE: list[ResponseStep | str] = [*HALF, "content_block_stop", "message_delta", "message_stop"]


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (Turn(ModelReply((ReplyText("a"),))), [STREAM, *WHOLE, FinishResponse()]),
        (
            Turn(ModelReply((ReplyText("a"),)), delay_s=2.0),
            [PauseStep(2.0), STREAM, *WHOLE, FinishResponse()],
        ),
        (Turn(ModelReply((ReplyText("a"),), fault="drop")), [STREAM, *HALF, DropConnection()]),
        (Turn(ModelReply((ReplyText("a"),), fault="hang")), [STREAM, *HALF, HangConnection()]),
        (Turn(NoResponse("drop"), delay_s=1.0), [PauseStep(1.0), DropConnection()]),
        (Turn(NoResponse("hang")), [HangConnection()]),
        (
            Turn(InvalidBody("oops")),
            [SendHead(200, {"content-type": "text/plain"}, 4), "oops", FinishResponse()],
        ),
        (
            Turn(ModelReply((), delay_between_s=0.5)),
            [
                *(STREAM, "message_start", PauseStep(0.5), "ping", PauseStep(0.5), "message_delta"),
                *(PauseStep(0.5), "message_stop", FinishResponse()),
            ],
        ),
    ],
)
def test_a_turn_is_played_in_steps(turn: Turn, expected: list[ResponseStep | str]) -> None:
    assert shape(played(turn)) == expected


def test_an_event_travels_with_its_name_and_its_body() -> None:
    sent = [step.content for step in played(Turn(REPLY)) if isinstance(step, SendBody)]

    assert sent[1] == b'event: ping\ndata: {"type": "ping"}\n\n'


def test_an_error_has_the_form_of_the_api() -> None:
    error = ApiError(529, "overloaded_error", "Overloaded", {"retry-after": "1"})
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    content = json.dumps(body).encode()

    assert played(Turn(error)) == [
        SendHead(529, {"content-type": "application/json", "retry-after": "1"}, len(content)),
        SendBody(content),
        FinishResponse(),
    ]


def headers(answer: TurnAnswer) -> dict[str, str]:
    (head,) = (step for step in played(Turn(answer)) if isinstance(step, SendHead))
    prefix = "anthropic-ratelimit-unified-"
    return {k.removeprefix(prefix): v for k, v in head.headers.items() if k.startswith(prefix)}


def test_a_spent_quota_names_its_window_and_its_reset() -> None:
    assert headers(QuotaSpent(20.0)) == {
        "status": "rejected",
        "reset": "1020",
        "representative-claim": "five_hour",
        "5h-status": "rejected",
        "5h-reset": "1020",
        "5h-utilization": "1.0",
        "7d-status": "allowed",
        "7d-reset": "1020",
        "7d-utilization": "0.5",
    }


def test_a_quota_warning_comes_with_an_ordinary_reply() -> None:
    warning = QuotaWarning(0.9, 60.0, "seven_day_opus")

    assert headers(ModelReply((ReplyText("a"),), quota_warning=warning)) == {
        "status": "allowed_warning",
        "reset": "1060",
        "representative-claim": "seven_day_opus",
        "7d-status": "allowed_warning",
        "7d-reset": "1060",
        "7d-utilization": "0.9",
        "7d-surpassed-threshold": "0.9",
        "5h-status": "allowed",
        "5h-reset": "1060",
        "5h-utilization": "0.5",
    }


def test_a_broken_reply_without_a_stream_stops_half_way() -> None:
    head, sent, last = played(Turn(ModelReply((ReplyText("a"),), fault="drop")), streaming=False)

    assert isinstance(head, SendHead)
    assert isinstance(sent, SendBody)
    assert (len(sent.content), last) == ((head.length or 0) // 2, DropConnection())
