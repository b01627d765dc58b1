"""One connection of an agent: requests in, one answer at a time out, over HTTP/1.1."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field

import h11

from treadle.gateway.room import MAX_BODY, Room

MAX_HEAD = 256 * 1024
# So long a request may take to arrive, from its first byte on; without one, an agent may be idle.
ARRIVAL_S = 60.0
_READ = 256 * 1024
_SENT = 64 * 1024


@dataclass(frozen=True, slots=True)
class Request:
    """A whole request. Its headers hold the agent's login, so nothing shows them."""

    method: str
    target: str
    raw_headers: tuple[tuple[bytes, bytes], ...] = field(repr=False)
    body: bytes = field(repr=False)

    def headers(self) -> dict[str, str]:
        return {name.decode("latin-1"): v.decode("latin-1") for name, v in self.raw_headers}


class Client:
    """The agent's side of a connection; `started` once a head of the present answer was sent."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, room: Room
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._room = room
        # Of the present request, in bytes.
        self._taken = 0
        self._peer = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD)
        self._reading: asyncio.Task[bytes] | None = None
        # Of the answer: what is still to be put into its form, and what is to be written.
        self._body = bytearray()
        self._unsent = bytearray()
        self._bodiless = False
        self.started = False

    async def next_request(self, arrival_s: float = ARRIVAL_S) -> Request | None:
        """The next request whole, or None when there is none; what is wrong raises h11's error,
        and one that does not come to its end a TimeoutError."""
        if self._peer.our_state is h11.DONE and self._peer.their_state is h11.DONE:
            self._peer.start_next_cycle()
        self.started = False
        if not self._peer.trailing_data[0]:
            await self._receive()
        async with asyncio.timeout(arrival_s):
            return await self._arriving()

    async def _arriving(self) -> Request | None:
        head = await self._event()
        if not isinstance(head, h11.Request):
            return None
        self._bodiless = head.method == b"HEAD"
        body = bytearray()
        while isinstance(event := await self._event(), h11.Data):
            self._take(len(event.data))
            body += event.data
        if not isinstance(event, h11.EndOfMessage):
            return None
        return Request(
            head.method.decode("ascii"),
            head.target.decode("latin-1"),
            tuple(head.headers),
            bytes(body),
        )

    def _take(self, size: int) -> None:
        if self._taken + size > MAX_BODY:
            raise h11.RemoteProtocolError("the request is too large", 413)
        if not self._room.take(size):
            raise h11.RemoteProtocolError("too much is under way already", 503)
        self._taken += size

    def _give_back(self) -> None:
        self._room.give_back(self._taken)
        self._taken = 0

    async def start(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Send the head of the answer; without a content-length its body goes in chunks."""
        self.started = True
        self._send(h11.Response(status_code=status, headers=list(headers)))

    async def send(self, part: bytes) -> None:
        if not part or self._bodiless:
            return
        self._flush_soon()
        self._body += part
        if len(self._body) >= _SENT:
            self._flush()
            await self._writer.drain()

    async def finish(self) -> None:
        self._frame_body()
        self._send(h11.EndOfMessage())
        self._flush()
        await self._writer.drain()

    async def during(self, answering: Coroutine[None, None, None]) -> bool:
        """See an answer through; one whose reader leaves is cancelled. True if more may follow."""
        task = asyncio.ensure_future(answering)
        try:
            await asyncio.wait({task, self._read_ahead()}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done() and not self._left():
                await asyncio.wait({task})  # it sent more already: nobody can hear it leave
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})
            self._give_back()
        if not task.cancelled():
            task.result()
        return self._peer.our_state is h11.DONE

    async def close(self) -> None:
        """Let the agent read what was sent, and see that there is no more."""
        self._give_back()
        if self._reading is not None:
            self._reading.cancel()
        self._flush()
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except ConnectionError:
            pass
        except asyncio.CancelledError:
            self.abort()
            raise

    def abort(self) -> None:
        """The agent may not be reading, and there is no time to wait."""
        self._writer.transport.abort()

    async def _event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        while True:
            event = self._peer.next_event()
            if event is not h11.NEED_DATA:
                return event
            if self._peer.they_are_waiting_for_100_continue:
                self._send(h11.InformationalResponse(status_code=100, headers=[]))
            await self._receive()

    async def _receive(self) -> None:
        part = await self._read_ahead()
        self._reading = None
        self._peer.receive_data(part)

    def _read_ahead(self) -> asyncio.Task[bytes]:
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._reader.read(_READ))
            # It may fail when nobody asks any more.
            self._reading.add_done_callback(lambda read: read.cancelled() or read.exception())
        return self._reading

    def _left(self) -> bool:
        reading = self._reading
        if reading is None or not reading.done():
            return False
        return reading.exception() is not None or not reading.result()

    def _send(self, event: h11.Event) -> None:
        self._flush_soon()
        self._unsent += self._peer.send(event) or b""

    def _flush_soon(self) -> None:
        """Parts that come in one go leave in one go: as soon as nothing more is there to do."""
        if not self._unsent and not self._body:
            asyncio.get_running_loop().call_soon(self._flush)

    def _frame_body(self) -> None:
        if self._body:
            self._unsent += self._peer.send(h11.Data(data=bytes(self._body))) or b""
            self._body.clear()

    def _flush(self) -> None:
        self._frame_body()
        if self._unsent:
            self._writer.write(bytes(self._unsent))
            self._unsent.clear()


Answer = Callable[[Request, Client], Coroutine[None, None, None]]


async def converse(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: Answer, room: Room
) -> None:
    """Serve an agent until it leaves, or an answer could not be given to its end."""
    with room.entered() as has_room:
        client = Client(reader, writer, room)
        await _served(client, answer if has_room else None)


async def _served(client: Client, answer: Answer | None) -> None:
    try:
        if answer is None:
            await _say_no(client, 503)
            return
        while await _answered(client, answer):
            pass
    except h11.RemoteProtocolError as error:
        await _say_no(client, error.error_status_hint)
    except TimeoutError:
        await _say_no(client, 408)
    except ConnectionError:
        pass  # the agent left: its right
    except asyncio.CancelledError:
        client.abort()
        raise
    finally:
        await client.close()


async def _answered(client: Client, answer: Answer) -> bool:
    """One request. In a function of its own, so that nothing holds it while the next is awaited."""
    request = await client.next_request()
    return request is not None and await client.during(answer(request, client))


async def _say_no(client: Client, status: int) -> None:
    try:
        await client.start(status, [(b"content-length", b"0"), (b"connection", b"close")])
        await client.finish()
    except (h11.LocalProtocolError, ConnectionError):
        pass  # in the middle of an answer nothing can be said any more
