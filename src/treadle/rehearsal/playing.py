"""A turn as steps on the wire: pure, so that what is sent, and in which order, is a plain list."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from treadle.rehearsal.messages import Event, Setting, message_body, stream_events
from treadle.rehearsal.turns import (
    ApiError,
    Garbage,
    QuotaSpent,
    QuotaWindow,
    Reply,
    Silence,
    Turn,
)


@dataclass(frozen=True, slots=True)
class Pause:
    seconds: float


@dataclass(frozen=True, slots=True)
class Head:
    """Status line and headers; `length` is the body's size, None for one sent in chunks."""

    status: int
    headers: Mapping[str, str]
    length: int | None


@dataclass(frozen=True, slots=True)
class Send:
    """A part of the body; its own chunk where the head promised chunks."""

    content: bytes


@dataclass(frozen=True, slots=True)
class Drop:
    """Close the connection, whatever the head has promised."""


@dataclass(frozen=True, slots=True)
class Hang:
    """Say nothing more until the client goes away."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The response is complete, and the connection is free for the next request."""


Step: TypeAlias = Pause | Head | Send | Drop | Hang | Finish


@dataclass(frozen=True, slots=True)
class Occasion:
    """The request a turn answers, as far as the answer depends on it."""

    setting: Setting
    streaming: bool
    unix_now: float


def steps(turn: Turn, occasion: Occasion) -> Iterator[Step]:
    """All that is done for one turn, ending with `Finish`, `Drop` or `Hang`."""
    if turn.delay_s:
        yield Pause(turn.delay_s)
    answer = turn.answer
    match answer:
        case Reply():
            play = _streamed if occasion.streaming else _unstreamed
            yield from play(answer, occasion)
        case ApiError():
            yield from error_steps(answer)
        case QuotaSpent():
            yield from error_steps(_quota_error(answer, occasion.unix_now))
        case Garbage():
            content = answer.body.encode()
            yield Head(200, {"content-type": "text/plain"} | dict(answer.headers), len(content))
            yield from (Send(content), Finish())
        case Silence():
            yield _silent(answer.how)
        case _:
            assert_never(answer)


def error_steps(error: ApiError) -> Iterator[Step]:
    """An error in the API's own form."""
    body = {"type": "error", "error": {"type": error.kind, "message": error.message}}
    yield from json_steps(error.status, body, error.headers)


def json_steps(status: int, body: Event, headers: Mapping[str, str]) -> Iterator[Step]:
    content = json.dumps(body).encode()
    yield Head(status, {"content-type": "application/json"} | dict(headers), len(content))
    yield Send(content)
    yield Finish()


def _streamed(reply: Reply, occasion: Occasion) -> Iterator[Step]:
    headers = _headers(reply, occasion)
    yield Head(200, {"content-type": "text/event-stream; charset=utf-8"} | headers, None)
    events = list(stream_events(reply, occasion.setting))
    # The half that is sent opens the message, and with a single block all of its text.
    kept = len(events) if reply.broken_off is None else (len(events) + 1) // 2
    for position, event in enumerate(events[:kept]):
        if position and reply.delay_between_s:
            yield Pause(reply.delay_between_s)
        yield Send(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
    yield _silent(reply.broken_off) if reply.broken_off else Finish()


def _unstreamed(reply: Reply, occasion: Occasion) -> Iterator[Step]:
    content = json.dumps(message_body(reply, occasion.setting)).encode()
    headers = {"content-type": "application/json"} | _headers(reply, occasion)
    yield Head(200, headers, len(content))
    if reply.broken_off is None:
        yield from (Send(content), Finish())
    else:
        yield from (Send(content[: len(content) // 2]), _silent(reply.broken_off))


def _silent(how: Literal["drop", "hang"]) -> Step:
    return Drop() if how == "drop" else Hang()


def _headers(reply: Reply, occasion: Occasion) -> dict[str, str]:
    headers = {"request-id": f"req_{occasion.setting.id}"}
    if warning := reply.quota_warning:
        reset = round(occasion.unix_now + warning.resets_in_s)
        headers |= _unified("allowed_warning", warning.window, reset, warning.used)
    return headers | dict(reply.headers)


def _quota_error(quota: QuotaSpent, unix_now: float) -> ApiError:
    reset = round(unix_now + quota.resets_in_s)
    headers = _unified("rejected", quota.window, reset, 1.0)
    headers["retry-after"] = str(round(quota.resets_in_s))
    message = "This request would exceed your account's rate limit. Please try again later."
    return ApiError(429, "rate_limit_error", message, headers)


def _unified(status: str, window: QuotaWindow, reset: int, used: float) -> dict[str, str]:
    """The headers by which a subscription learns about its windows."""
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
