"""One connection of the scripted API: read a request, ask for its steps, take them.

Every step is sent at once: asyncio switches Nagle's algorithm off on its sockets.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import assert_never

from treadle.rehearsal.http1 import (
    LAST_CHUNK,
    HttpRequest,
    Unreadable,
    chunk,
    head_bytes,
    read_request,
)
from treadle.rehearsal.playing import Drop, Finish, Hang, Head, Pause, Send, Step, error_steps
from treadle.rehearsal.turns import ApiError

Respond = Callable[[HttpRequest], Iterable[Step]]


async def converse(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, respond: Respond
) -> None:
    """Serve a client until it leaves, a step ends the connection, or the task is cancelled."""
    try:
        while isinstance(request := await read_request(reader, writer), HttpRequest):
            if not await _take(respond(request), request, reader, writer):
                break
        else:
            if isinstance(request, Unreadable):
                error = ApiError(400, "invalid_request_error", request.reason)
                await _answer_unreadable(error, writer)
    except ConnectionError:
        pass  # the client left in the middle of an answer: its right
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
        writer.transport.abort()  # the client does not read, and the server has no time to wait
        raise


async def _take(
    steps: Iterable[Step],
    request: HttpRequest,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> bool:
    """Take the steps; true when the connection can serve another request."""
    in_chunks = False
    for step in steps:
        match step:
            case Pause():
                await asyncio.sleep(step.seconds)
            case Hang():
                await reader.read()
                return False
            case Drop():
                return False
            case Head() | Send() | Finish():
                in_chunks = step.length is None if isinstance(step, Head) else in_chunks
                writer.write(_packed(step, request, in_chunks=in_chunks))
                await writer.drain()
            case _:
                assert_never(step)
    return request.keeps_alive


def _packed(step: Head | Send | Finish, request: HttpRequest, *, in_chunks: bool) -> bytes:
    match step:
        case Head():
            return head_bytes(step, keeps_alive=request.keeps_alive)
        case Send() if request.method == "HEAD":
            return b""
        case Send():
            return chunk(step.content) if in_chunks and step.content else step.content
        case Finish():
            return LAST_CHUNK if in_chunks else b""
        case _:
            assert_never(step)


async def _answer_unreadable(error: ApiError, writer: asyncio.StreamWriter) -> None:
    for step in error_steps(error):
        if isinstance(step, Head):
            writer.write(head_bytes(step, keeps_alive=False))
        elif isinstance(step, Send):
            writer.write(step.content)
    await writer.drain()
