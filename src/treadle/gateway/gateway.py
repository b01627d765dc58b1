"""The gateway: a reverse proxy on this machine, in a thread and an event loop of its own."""

import asyncio
import socket
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Bill, Budget, Ledger
from treadle.gateway.accounts import LOOK_BACK, Account, Accounts, Bell
from treadle.gateway.connection import Answer, converse
from treadle.gateway.desk import Desk
from treadle.gateway.endpoint import Endpoint
from treadle.gateway.login import OWN_LOGIN, Login
from treadle.gateway.room import MOST_BYTES, MOST_CONNECTIONS, Room
from treadle.gateway.service import Line, Service
from treadle.gateway.sockets import SocketDirectory
from treadle.gateway.writing import LedgerWriter
from treadle.session.prices import LISTED, PriceList

# So much of a request is taken in before its reader is asked for patience.
_READ_AHEAD = 1 << 20
# The one door by address is for all sessions that are not confined.
_SHARED_BY = 8


class Gateway:
    """Between agents and their model: `with Gateway(service, ledger) as gateway: …`.

    Each session has an endpoint of its own, which is all that its agent needs to know and all
    that identifies it. A busy caller cannot starve the streams that pass here.
    """

    def __init__(
        self,
        service: Service,
        ledger: Ledger,
        *,
        login: Login = OWN_LOGIN,
        prices: PriceList = LISTED,
        rehearsal: bool = False,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._service = service
        self._ledger = ledger
        self._login = login
        self._prices = prices
        self._rehearsal = rehearsal
        self._now = now
        self._accounts = Accounts()
        # By the secret of an account; touched in the gateway's own thread alone.
        self._doors: dict[str, tuple[Path, asyncio.Server]] = {}
        # The loop itself holds tasks only weakly.
        self._conversations: set[asyncio.Task[None]] = set()

    def open(
        self,
        session: SessionId,
        run: RunId,
        budget: Budget,
        *,
        served: frozenset[str] = frozenset(),
    ) -> Endpoint:
        """Where one session finds its model, until it is closed; `served`: kinds of the service's
        own tools that it may use."""
        at = self._now()
        so_far = self._ledger.spent(run, since=at - LOOK_BACK, rehearsal=self._rehearsal)
        path, listener = self._sockets.listen()
        account = self._accounts.open(session, run, budget, at=at, at_open=so_far, served=served)
        attending = self._attend(account, path, listener)
        asyncio.run_coroutine_threadsafe(attending, self._loop).result()
        host, port = self._address
        return Endpoint(path, f"http://{host}:{port}/{account.token}")

    async def close(self, session: SessionId) -> Bill:
        """End what is under way for a session, and sum up all it has ever used."""
        closing = asyncio.run_coroutine_threadsafe(self._close(session), self._loop)
        return await asyncio.wrap_future(closing)

    async def _close(self, session: SessionId) -> Bill:
        account = self._accounts.close(session)
        self._shut_old_doors()
        answering = () if account is None else tuple(account.answering)
        for task in answering:
            task.cancel()
        if answering:
            await asyncio.wait(answering)
        return await self._writer.ask(lambda ledger: ledger.bill(session))

    async def _attend(self, account: Account, path: Path, listener: socket.socket) -> None:
        """Serve whoever comes through an account's own socket."""
        connected = self._connected(self._desk.door_of(account), Room())
        server = await asyncio.start_unix_server(connected, sock=listener, limit=_READ_AHEAD)
        self._doors[account.token] = path, server
        self._shut_old_doors()

    def _shut_old_doors(self) -> None:
        for token in [each for each in self._doors if self._accounts.find(each) is None]:
            path, server = self._doors.pop(token)
            server.close()
            path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        # Here and not in the thread: it may need files that a person has to put right.
        line = Line(self._service)
        self._sockets = SocketDirectory()
        # Agents are accepted from here on: the kernel queues them until the thread is ready.
        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        # Accepted ones inherit it: every part of an answer goes out when it comes.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._address: tuple[str, int] = listener.getsockname()
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()
        self._writer = LedgerWriter(self._ledger)
        self._desk = Desk(
            line=line,
            login=self._login,
            accounts=self._accounts,
            writer=self._writer,
            prices=self._prices,
            now=self._now,
            rehearsal=self._rehearsal,
            settled=Bell(),
        )
        self._thread = threading.Thread(
            target=self._run, args=(listener, line), name="treadle-gateway", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join()  # every task is cancelled, so this is a matter of milliseconds
        self._sockets.close()
        self._writer.close()

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, *_: object) -> None:
        self.__exit__()

    def _run(self, listener: socket.socket, line: Line) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve(listener, line))

    async def _serve(self, listener: socket.socket, line: Line) -> None:
        connected = self._connected(
            self._desk.answer, Room(_SHARED_BY * MOST_CONNECTIONS, _SHARED_BY * MOST_BYTES)
        )
        server = await asyncio.start_server(connected, sock=listener, limit=_READ_AHEAD)
        await self._stopped.wait()
        for each in (server, *(door for _, door in self._doors.values())):
            each.close()
        conversations = tuple(self._conversations)
        for task in conversations:
            task.cancel()
        if conversations:
            await asyncio.wait(conversations)
        await line.close()

    def _connected(
        self, answer: Answer, room: Room
    ) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]:
        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(converse(reader, writer, answer, room))
            self._conversations.add(task)
            task.add_done_callback(self._conversations.discard)

        return connected
