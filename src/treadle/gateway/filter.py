"""The filtering proxy: lets processes in a sandbox reach the hosts that the user named, alone."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Self

import h11

from treadle.gateway.hosts import Address, Entry, Refused, Wanted, entry_for, reachable, wanted
from treadle.gateway.loop_thread import LoopThread
from treadle.gateway.outward import Streams, connect, connect_through
from treadle.gateway.passage import Cap, CapReached, Caps, Passage
from treadle.gateway.sockets import SocketDirectory

# Told of a host, a port, and whether they may be reached.
Record = Callable[[str, int, bool], None]
Look = Callable[[str, int], Awaitable[Sequence[Address]]]
# The proxy that this machine itself reaches a host and port through; empty where it needs none.
Upstream = Callable[[str, int], str]

MOST_SENT = 256 * 1024 * 1024
MOST_RECEIVED = 16 * 1024 * 1024 * 1024
MOST_AT_ONCE = 256
# Somebody who asks for ever new hosts does not fill the record.
MOST_RECORDED = 1000


async def look_up(host: str, port: int) -> Sequence[Address]:
    """All addresses of a name, by this machine's own means; none if it is not known."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:  # socket.gaierror, and what a broken resolver says
        return ()
    return tuple(dict.fromkeys(ip_address(place[0]) for *_, place in found))


def straight(host: str, port: int) -> str:
    """No host is behind another proxy."""
    return ""


@dataclass(frozen=True, slots=True)
class _Way:
    """A request that may go out, and where to: to addresses, or through another proxy."""

    asked: Wanted
    addresses: tuple[Address, ...] = ()
    proxy: str = field(default="", repr=False)

    async def connect(self) -> Streams | None:
        if self.proxy:
            return await connect_through(self.proxy, self.asked)
        return await connect(self.addresses, self.asked.port)


class FilteringProxy:
    """`with FilteringProxy(entries, record) as proxy:` listens at `proxy.socket`.

    `record` is called in the proxy's own thread, once for each different decision. Behind a proxy
    of the machine's, it is that one which looks names up, and knows where they lead to.
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        record: Record,
        *,
        look: Look = look_up,
        upstream: Upstream = straight,
        most_sent: int = MOST_SENT,
        most_received: int = MOST_RECEIVED,
    ) -> None:
        self._entries = tuple(entries)
        self._record = record
        self._look = look
        self._upstream = upstream
        self._caps = Caps(Cap(most_sent), Cap(most_received))
        self._recorded: set[tuple[str, int, bool]] = set()
        self._under_way: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        self._sockets = SocketDirectory()
        self.socket, listener = self._sockets.listen()
        self._thread = LoopThread("treadle-proxy")
        self._server = self._thread.call(
            asyncio.start_unix_server(self._connected, sock=listener)
        ).result()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.call(self._end()).result()
        self._thread.close()
        self._sockets.close()

    async def _end(self) -> None:
        self._server.close()
        under_way = tuple(self._under_way)
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(Passage(reader, writer)))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _serve(self, passage: Passage) -> None:
        try:
            if len(self._under_way) > MOST_AT_ONCE:
                await passage.refuse(503, "too many connections at once")
            else:
                await self._answer(passage)
        except h11.RemoteProtocolError as error:
            self._tell("?", 0, allowed=False)
            await passage.refuse(error.error_status_hint, "this is no request")
        except (ConnectionError, TimeoutError, CapReached):
            pass  # one of the sides left, or nothing more may pass: all that is left is to close
        except asyncio.CancelledError:
            passage.abort()
            raise
        finally:
            await passage.close()

    async def _answer(self, passage: Passage) -> None:
        line = await passage.first_line()
        if line is None:
            return
        way = await self._way(*line)
        if isinstance(way, Refused):
            await passage.refuse(403, way.reason)
            return
        far = await way.connect()
        if far is None:
            await passage.refuse(502, f"{way.asked.host} was not reached")
            return
        try:
            await _carry(passage, way.asked, far, self._caps)
        except asyncio.CancelledError:
            far[1].transport.abort()
            raise
        finally:
            far[1].close()

    async def _way(self, method: str, target: str) -> _Way | Refused:
        asked = wanted(method, target)
        if isinstance(asked, Refused):
            self._tell("?", 0, allowed=False)
            return asked
        entry = entry_for(asked, self._entries)
        if isinstance(entry, Refused):
            self._tell(asked.host, asked.port, allowed=False)
            return entry
        way = await self._way_to(entry, asked)
        self._tell(asked.host, asked.port, allowed=not isinstance(way, Refused))
        return way

    async def _way_to(self, entry: Entry, asked: Wanted) -> _Way | Refused:
        if entry.address is None and (proxy := self._upstream(entry.host, entry.port)):
            return _Way(asked, proxy=proxy)
        found = () if entry.address is not None else await self._look(entry.host, entry.port)
        addresses = reachable(entry, found)
        return addresses if isinstance(addresses, Refused) else _Way(asked, addresses)

    def _tell(self, host: str, port: int, *, allowed: bool) -> None:
        decision = (host, port, allowed)
        if decision not in self._recorded and len(self._recorded) < MOST_RECORDED:
            self._recorded.add(decision)
            self._record(*decision)


async def _carry(passage: Passage, asked: Wanted, far: Streams, caps: Caps) -> None:
    try:
        if asked.target is None:
            await passage.tunnel(far, caps)
        else:
            await passage.pass_on(asked, far, caps)
    except* (ConnectionError, CapReached, h11.RemoteProtocolError):
        pass  # it is over in both directions
