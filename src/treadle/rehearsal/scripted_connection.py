"""One connection of the scripted API: reads a request and performs the steps of its response.

Every step is sent at once, because asyncio disables Nagle's algorithm.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import assert_never

from treadle.rehearsal.http1 import (
    LAST_CHUNK,
    HttpRequest,
    MalformedRequest,
    encode_chunk,
    encode_head,
    read_request,
)
from treadle.rehearsal.response_steps import (
    DropConnection,
    FinishResponse,
    HangConnection,
    PauseStep,
    ResponseStep,
    SendBody,
    SendHead,
    error_steps,
)
from treadle.rehearsal.turns import ApiError

Respond = Callable[[HttpRequest], Iterable[ResponseStep]]


async def serve_connection(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, respond: Respond
) -> None:
    """Serve a client until it disconnects, a step ends the connection, or the task is cancelled."""
    try:
        while isinstance(request := await read_request(reader, writer), HttpRequest):
            if not await _perform_steps(respond(request), request, reader, writer):
                break
        else:
            if isinstance(request, MalformedRequest):
                error = ApiError(400, "invalid_request_error", request.reason)
                await _answer_unreadable(error, writer)
    except ConnectionError:
        pass  # the client disconnected during a response
    except asyncio.CancelledError:
        writer.transport.abort()
        raise
    finally:
        await _close(writer)


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    try:
        await writer.wait_closed()
    except ConnectionError:
        pass
    except asyncio.CancelledError:
        writer.transport.abort()  # the client may not be reading
        raise


async def _perform_steps(
    steps: Iterable[ResponseStep],
    request: HttpRequest,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> bool:
    """Perform the steps; True if the connection can serve another request."""
    chunked = False
    for step in steps:
        match step:
            case PauseStep():
                await asyncio.sleep(step.seconds)
            case HangConnection():
                await reader.read()
                return False
            case DropConnection():
                return False
            case SendHead() | SendBody() | FinishResponse():
                chunked = step.length is None if isinstance(step, SendHead) else chunked
                writer.write(_encode_step(step, request, chunked=chunked))
                await writer.drain()
            case _:
                assert_never(step)
    return request.keeps_alive


def _encode_step(
    step: SendHead | SendBody | FinishResponse, request: HttpRequest, *, chunked: bool
) -> bytes:
    match step:
        case SendHead():
            return encode_head(step, keeps_alive=request.keeps_alive)
        case SendBody() if request.method == "HEAD":
            return b""
        case SendBody():
            return encode_chunk(step.content) if chunked and step.content else step.content
        case FinishResponse():
            return LAST_CHUNK if chunked else b""
        case _:
            assert_never(step)


async def _answer_unreadable(error: ApiError, writer: asyncio.StreamWriter) -> None:
    for step in error_steps(error):
        if isinstance(step, SendHead):
            writer.write(encode_head(step, keeps_alive=False))
        elif isinstance(step, SendBody):
            writer.write(step.content)
    await writer.drain()
