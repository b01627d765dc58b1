"""One HTTP/1.1 connection of an agent: reads requests, writes one response at a time."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field

import h11

from treadle.gateway.capacity import MAX_BODY, ConnectionCapacity

MAX_HEAD = 256 * 1024
# From a request's first byte to its last; an idle connection has no limit.
ARRIVAL_TIMEOUT_S = 60.0
_READ = 256 * 1024
_FLUSH_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class AgentRequest:
    """A whole request. Its headers hold the agent's login, so `repr` leaves them out."""

    method: str
    target: str
    raw_headers: tuple[tuple[bytes, bytes], ...] = field(repr=False)
    body: bytes = field(repr=False)

    def headers(self) -> dict[str, str]:
        return {name.decode("latin-1"): v.decode("latin-1") for name, v in self.raw_headers}


class Client:
    """The agent's side of a connection; `started` once the current response's head was sent.

    If `reads_on` is set, a response is made to its end although the agent has left: it costs money,
    and only its end tells how much.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        capacity: ConnectionCapacity,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._capacity = capacity
        # Bytes reserved for the current request.
        self._reserved = 0
        self._peer = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD)
        self._reading: asyncio.Task[bytes] | None = None
        # Parts of the response body that are not framed yet, and framed bytes not yet written.
        self._body = bytearray()
        self._unsent = bytearray()
        self._bodiless = False
        self._has_gone = False
        self.started = False
        self.reads_on = False

    async def next_request(self, arrival_s: float = ARRIVAL_TIMEOUT_S) -> AgentRequest | None:
        """Read the next request whole, or None at the end of the connection.

        Raises h11.RemoteProtocolError for an invalid request, TimeoutError for an incomplete one.
        """
        if self._peer.our_state is h11.DONE and self._peer.their_state is h11.DONE:
            self._peer.start_next_cycle()
        self.started = self.reads_on = False
        if not self._peer.trailing_data[0]:
            await self._receive()
        async with asyncio.timeout(arrival_s):
            return await self._read_request()

    async def _read_request(self) -> AgentRequest | None:
        head = await self._next_event()
        if not isinstance(head, h11.Request):
            return None
        self._bodiless = head.method == b"HEAD"
        body = bytearray()
        while isinstance(event := await self._next_event(), h11.Data):
            self._reserve_bytes(len(event.data))
            body += event.data
        if not isinstance(event, h11.EndOfMessage):
            return None
        return AgentRequest(
            head.method.decode("ascii"),
            head.target.decode("latin-1"),
            tuple(head.headers),
            bytes(body),
        )

    def _reserve_bytes(self, size: int) -> None:
        if self._reserved + size > MAX_BODY:
            raise h11.RemoteProtocolError("the request is too large", 413)
        if not self._capacity.reserve(size):
            raise h11.RemoteProtocolError("too much is under way already", 503)
        self._reserved += size

    def _release_bytes(self) -> None:
        self._capacity.release(self._reserved)
        self._reserved = 0

    async def start(
        self, status: int, headers: Iterable[tuple[bytes, bytes]], reason: bytes = b""
    ) -> None:
        """Send the head of the response; without a content-length its body is chunked."""
        self.started = True
        if not self._has_gone:
            self._send(h11.Response(status_code=status, headers=list(headers), reason=reason))

    async def send(self, chunk: bytes) -> None:
        if not chunk or self._bodiless or self._has_gone:
            return
        self._flush_soon()
        self._body += chunk
        if len(self._body) >= _FLUSH_BYTES:
            self._flush()
            await self._drain()

    async def finish(self) -> None:
        if self._has_gone:
            return
        self._frame_body()
        self._send(h11.EndOfMessage())
        self._flush()
        await self._drain()

    async def _drain(self) -> None:
        try:
            await self._writer.drain()
        except ConnectionError:
            if not self.reads_on:
                raise
            self._leave()

    def _leave(self) -> None:
        """The agent is gone: what is still to be sent is for nobody."""
        self._has_gone = True
        self._body.clear()
        self._unsent.clear()

    async def run_answer(self, response: Coroutine[None, None, None]) -> bool:
        """Run the response to its end; if the agent disconnects, cancel it, now or after a while.

        True if the connection can serve another request.
        """
        task = asyncio.ensure_future(response)
        try:
            await asyncio.wait({task, self._read_ahead()}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done() and not self._has_left():
                # The agent has sent more data, so the read cannot detect a disconnect.
                await asyncio.wait({task})
            elif not task.done() and self.reads_on:
                self._leave()
                await asyncio.wait({task}, timeout=self._capacity.read_on_s)
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})
            self._release_bytes()
        if not task.cancelled():
            task.result()
        return self._peer.our_state is h11.DONE and not self._has_gone

    async def close(self) -> None:
        """Flush, and close the connection."""
        self._release_bytes()
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
        """Close at once, without waiting for the agent to read."""
        self._writer.transport.abort()

    async def _next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        while True:
            event = self._peer.next_event()
            if event is not h11.NEED_DATA:
                return event
            if self._peer.they_are_waiting_for_100_continue:
                self._send(h11.InformationalResponse(status_code=100, headers=[]))
            await self._receive()

    async def _receive(self) -> None:
        chunk = await self._read_ahead()
        self._reading = None
        self._peer.receive_data(chunk)

    def _read_ahead(self) -> asyncio.Task[bytes]:
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._reader.read(_READ))
            # Retrieves an exception that nothing may await any more.
            self._reading.add_done_callback(lambda read: read.cancelled() or read.exception())
        return self._reading

    def _has_left(self) -> bool:
        reading = self._reading
        if reading is None or not reading.done():
            return False
        return reading.exception() is not None or not reading.result()

    def _send(self, event: h11.Event) -> None:
        self._flush_soon()
        self._unsent += self._peer.send(event) or b""

    def _flush_soon(self) -> None:
        """Batch parts that arrive together into one write, in the next cycle of the loop."""
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


HandleRequest = Callable[[AgentRequest, Client], Coroutine[None, None, None]]


async def serve_connection(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    answer: HandleRequest,
    capacity: ConnectionCapacity,
) -> None:
    """Serve an agent until it disconnects, or until a response fails halfway."""
    with capacity.open_connection() as is_within_limit:
        client = Client(reader, writer, capacity)
        await _serve_requests(client, answer if is_within_limit else None)


async def _serve_requests(client: Client, answer: HandleRequest | None) -> None:
    try:
        if answer is None:
            await _reject(client, 503)
            return
        while await _serve_next_request(client, answer):
            pass
    except h11.RemoteProtocolError as error:
        await _reject(client, error.error_status_hint)
    except TimeoutError:
        await _reject(client, 408)
    except ConnectionError:
        pass  # the agent disconnected
    except asyncio.CancelledError:
        client.abort()
        raise
    finally:
        await client.close()


async def _serve_next_request(client: Client, answer: HandleRequest) -> bool:
    """Serve one request; a function of its own, so that the request is freed before the next."""
    request = await client.next_request()
    return request is not None and await client.run_answer(answer(request, client))


async def _reject(client: Client, status: int) -> None:
    try:
        await client.start(status, [(b"content-length", b"0"), (b"connection", b"close")])
        await client.finish()
    except (h11.LocalProtocolError, ConnectionError):
        pass  # a response has been started, or the agent is gone
