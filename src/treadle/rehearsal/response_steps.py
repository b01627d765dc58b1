"""Turns a scripted turn into a list of response steps: head, body parts, pauses, faults. Pure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from treadle.rehearsal.messages_api import JsonObject, ReplyContext, message_body, stream_events
from treadle.rehearsal.turns import (
    ApiError,
    InvalidBody,
    ModelReply,
    NoResponse,
    QuotaSpent,
    QuotaWindow,
    Turn,
)


@dataclass(frozen=True, slots=True)
class PauseStep:
    seconds: float


@dataclass(frozen=True, slots=True)
class SendHead:
    """Status line and headers; `length` is None for a chunked body."""

    status: int
    headers: Mapping[str, str]
    length: int | None


@dataclass(frozen=True, slots=True)
class SendBody:
    """A part of the body; one chunk, if the body is chunked."""

    content: bytes


@dataclass(frozen=True, slots=True)
class DropConnection:
    """Close the connection, even if the response is incomplete."""


@dataclass(frozen=True, slots=True)
class HangConnection:
    """Send nothing more until the client disconnects."""


@dataclass(frozen=True, slots=True)
class FinishResponse:
    """The response is complete; the connection can serve the next request."""


ResponseStep: TypeAlias = (
    PauseStep | SendHead | SendBody | DropConnection | HangConnection | FinishResponse
)


@dataclass(frozen=True, slots=True)
class TurnContext:
    """What a turn's response takes from its request."""

    reply_context: ReplyContext
    streaming: bool
    unix_now: float


def turn_steps(turn: Turn, context: TurnContext) -> Iterator[ResponseStep]:
    """The steps of one turn, ending with `FinishResponse`, `DropConnection` or `HangConnection`."""
    if turn.delay_s:
        yield PauseStep(turn.delay_s)
    answer = turn.answer
    match answer:
        case ModelReply():
            make_steps = _streamed_steps if context.streaming else _unstreamed_steps
            yield from make_steps(answer, context)
        case ApiError():
            yield from error_steps(answer)
        case QuotaSpent():
            yield from error_steps(_quota_error(answer, context.unix_now))
        case InvalidBody():
            content = answer.body.encode()
            yield SendHead(200, {"content-type": "text/plain"} | dict(answer.headers), len(content))
            yield from (SendBody(content), FinishResponse())
        case NoResponse():
            yield _no_response_step(answer.how)
        case _:
            assert_never(answer)


def error_steps(error: ApiError) -> Iterator[ResponseStep]:
    """An error in the API's format."""
    body = {"type": "error", "error": {"type": error.kind, "message": error.message}}
    yield from json_steps(error.status, body, error.headers)


def json_steps(status: int, body: JsonObject, headers: Mapping[str, str]) -> Iterator[ResponseStep]:
    content = json.dumps(body).encode()
    yield SendHead(status, {"content-type": "application/json"} | dict(headers), len(content))
    yield SendBody(content)
    yield FinishResponse()


def _streamed_steps(reply: ModelReply, context: TurnContext) -> Iterator[ResponseStep]:
    headers = _headers(reply, context)
    yield SendHead(200, {"content-type": "text/event-stream; charset=utf-8"} | headers, None)
    events = list(stream_events(reply, context.reply_context))
    # Half of the events start the message; with a single block they hold all of its text.
    sent = len(events) if reply.fault is None else (len(events) + 1) // 2
    for position, event in enumerate(events[:sent]):
        if position and reply.delay_between_s:
            yield PauseStep(reply.delay_between_s)
        yield SendBody(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
    yield _no_response_step(reply.fault) if reply.fault else FinishResponse()


def _unstreamed_steps(reply: ModelReply, context: TurnContext) -> Iterator[ResponseStep]:
    content = json.dumps(message_body(reply, context.reply_context)).encode()
    headers = {"content-type": "application/json"} | _headers(reply, context)
    yield SendHead(200, headers, len(content))
    if reply.fault is None:
        yield from (SendBody(content), FinishResponse())
    else:
        yield from (SendBody(content[: len(content) // 2]), _no_response_step(reply.fault))


def _no_response_step(how: Literal["drop", "hang"]) -> ResponseStep:
    return DropConnection() if how == "drop" else HangConnection()


def _headers(reply: ModelReply, context: TurnContext) -> dict[str, str]:
    headers = {"request-id": f"req_{context.reply_context.id}"}
    if warning := reply.quota_warning:
        reset = round(context.unix_now + warning.resets_in_s)
        headers |= _quota_headers("allowed_warning", warning.window, reset, warning.used)
    return headers | dict(reply.headers)


def _quota_error(quota: QuotaSpent, unix_now: float) -> ApiError:
    reset = round(unix_now + quota.resets_in_s)
    headers = _quota_headers("rejected", quota.window, reset, 1.0)
    headers["retry-after"] = str(round(quota.resets_in_s))
    message = "This request would exceed your account's rate limit. Please try again later."
    return ApiError(429, "rate_limit_error", message, headers)


def _quota_headers(status: str, window: QuotaWindow, reset: int, used: float) -> dict[str, str]:
    """The headers that report a subscription's quota windows."""
    prefix = "anthropic-ratelimit-unified-"
    short = "5h" if window == "five_hour" else "7d"
    other = "7d" if short == "5h" else "5h"
    headers = {
        "status": status,
        "reset": str(reset),
        "representative-claim": window,
        f"{short}-status": status,
        f"{short}-reset": str(reset),
        f"{short}-utilization": str(used),
        f"{other}-status": "allowed",
        f"{other}-reset": str(reset),
        f"{other}-utilization": "0.5",
    }
    if status == "allowed_warning":
        headers[f"{short}-surpassed-threshold"] = str(used)
    return {prefix + name: value for name, value in headers.items()}
