"""What a response used is read out of its bytes, wherever they are cut."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.domain.price import ResponseExtras
from treadle.domain.usage import Usage
from treadle.gateway.response_meter import LONGEST_LINE, BodyMeter, NoMeter, StreamMeter
from treadle.gateway.usage_reading import UsageReading

USED = {
    "input_tokens": 10,
    "output_tokens": 1,
    "cache_creation_input_tokens": 30,
    "cache_read_input_tokens": 40,
    "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20},
}
START = {"type": "message_start", "message": {"model": "opus", "usage": USED}}
STOP = {"type": "message_stop"}
PROMPT = Usage(10, 0, 30, 40, 20)


def text(words: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "delta": {"type": "text_delta", "text": words}}


def counted(**usage: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {}, "usage": usage}


def stream(*events: dict[str, Any]) -> bytes:
    return b"".join(
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events
    )


def read(content: bytes) -> UsageReading | None:
    meter = StreamMeter()
    meter.feed(content)
    return meter.reading()


def used(output: int, **more: Any) -> UsageReading:
    return UsageReading("opus", Usage(10, output, 30, 40, 20), **more)


@pytest.mark.parametrize(
    ("events", "reading"),
    [
        ([], None),
        ([text("nobody began")], None),
        ([START], used(1)),
        ([START, text("x" * 30)], used(10)),  # an estimate of what has come
        ([START, text("x" * 300), counted(output_tokens=7)], used(100)),  # not over yet
        ([START, text("x" * 300), counted(output_tokens=7), STOP], used(7, complete=True)),
        # Totals replace what was said before; they are never added.
        ([START, counted(output_tokens=5), counted(output_tokens=9), STOP], used(9, complete=True)),
        ([START, counted(output_tokens=5, input_tokens=10), STOP], used(5, complete=True)),
        ([START, counted(), STOP], used(1, complete=True)),
        (
            [START, counted(output_tokens=2, server_tool_use={"web_search_requests": 3}), STOP],
            used(2, complete=True, extras=ResponseExtras(web_searches=3)),
        ),
        (
            [START, counted(output_tokens=2, inference_geo="us"), STOP],
            used(2, complete=True, extras=ResponseExtras(in_us=True)),
        ),
    ],
)
def test_a_stream_is_read_by_its_events(
    events: list[dict[str, Any]], reading: UsageReading | None
) -> None:
    assert read(stream(*events)) == reading


@given(st.lists(st.integers(0, 2000), max_size=20))
def test_it_does_not_matter_where_the_bytes_are_cut(cuts: list[int]) -> None:
    content = stream(START, text("wörds"), counted(output_tokens=9), STOP)
    places = sorted({0, len(content), *(cut for cut in cuts if cut < len(content))})

    meter = StreamMeter()
    for begin, end in pairwise(places):
        meter.feed(content[begin:end])

    assert meter.reading() == used(9, complete=True)


@pytest.mark.parametrize(
    "noise",
    [
        b": a comment\n\n",
        b"data: no json\n\n",
        b"data: [1, 2]\n\n",
        b"data: null\n\n",
        stream({"type": "ping"}),
        stream({"type": "content_block_delta", "delta": "odd"}),
        stream({"type": "message_delta", "usage": "odd"}),
        stream({"type": "message_delta", "usage": {"output_tokens": "many"}}),
        stream({"type": "message_delta", "usage": {"input_tokens": -5}}),
        b"data: " + b"x" * (2 * LONGEST_LINE) + b"\n\n",
    ],
)
def test_what_says_nothing_of_usage_changes_nothing(noise: bytes) -> None:
    content = stream(START) + noise + stream(counted(output_tokens=9), STOP)

    assert read(content) == used(9, complete=True)


def test_a_line_that_is_too_long_is_not_kept() -> None:
    meter = StreamMeter()
    for _ in range(40):
        meter.feed(b"x" * (LONGEST_LINE // 8))
    meter.feed(b"\n" + stream(START))

    assert meter.reading() == used(1)


def test_more_tokens_for_an_hour_than_were_written_are_not_believed() -> None:
    usage = {"cache_creation_input_tokens": 5, "cache_creation": {"ephemeral_1h_input_tokens": 9}}
    start = {"type": "message_start", "message": {"model": "opus", "usage": usage}}

    assert read(stream(start)) == UsageReading("opus", Usage(0, 0, 5, 0, 5))


def body(content: bytes) -> UsageReading | None:
    meter = BodyMeter()
    step = max(7, len(content) // 100)
    for byte in range(0, len(content), step):
        meter.feed(content[byte : byte + step])
    return meter.reading()


WHOLE = json.dumps({"type": "message", "model": "opus", "usage": USED | {"output_tokens": 5}})


@pytest.mark.parametrize(
    ("content", "reading"),
    [
        (b"", None),
        (WHOLE.encode(), used(5, complete=True)),
        (b'{"type": "error"}', None),
        (WHOLE.encode()[:90], None),  # cut: nothing is known
        (b'{"type": "message", "a": "' + b"x" * (16 << 20), None),
    ],
)
def test_a_body_is_read_when_it_is_whole(content: bytes, reading: UsageReading | None) -> None:
    assert body(content) == reading


def test_an_answer_of_another_kind_tells_nothing() -> None:
    meter = NoMeter()
    meter.feed(stream(START))

    assert (meter.reading(), meter.is_error) == (None, False)


@pytest.mark.parametrize(
    ("content", "is_error"),
    [
        (stream({"type": "error"}), True),
        (stream({"type": "ping"}), False),
        (stream(START, {"type": "error"}), False),
        (b"", False),
    ],
)
def test_a_stream_is_an_error_if_it_says_so_before_a_model_answers(
    content: bytes, is_error: bool
) -> None:
    meter = StreamMeter()
    meter.feed(content)

    assert meter.is_error == is_error


@pytest.mark.parametrize(
    ("content", "is_error"),
    [(b'{"type": "error"}', True), (WHOLE.encode(), False), (b"<html>", False), (b"", False)],
)
def test_a_body_is_an_error_if_it_says_so(content: bytes, is_error: bool) -> None:
    meter = BodyMeter()
    meter.feed(content)

    assert meter.is_error == is_error
