"""The model gateway: a reverse proxy on this machine, in a thread and event loop of its own."""

import asyncio
import socket
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Bill, Budget, Ledger
from treadle.gateway.accounts import LOOK_BACK, BudgetAccount, BudgetAccounts, ChangeNotifier
from treadle.gateway.capacity import MAX_BYTES, MAX_CONNECTIONS, ConnectionCapacity
from treadle.gateway.client_connection import HandleRequest, serve_connection
from treadle.gateway.endpoint import Endpoint
from treadle.gateway.ledger_writer import LedgerWriter
from treadle.gateway.login import PASS_THROUGH_LOGIN, Login
from treadle.gateway.model_service import ModelService, ServiceClient
from treadle.gateway.request_handler import RequestHandler
from treadle.gateway.sockets import SocketDirectory
from treadle.session.price_list import VENDOR_PRICES, PriceList

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
        service: ModelService,
        ledger: Ledger,
        *,
        login: Login = PASS_THROUGH_LOGIN,
        prices: PriceList = VENDOR_PRICES,
        rehearsal: bool = False,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._service = service
        self._ledger = ledger
        self._login = login
        self._prices = prices
        self._rehearsal = rehearsal
        self._now = now
        self._accounts = BudgetAccounts()
        # By the secret of an account; touched in the gateway's own thread alone.
        self._socket_servers: dict[str, tuple[Path, asyncio.Server]] = {}
        # The loop itself holds tasks only weakly.
        self._connections: set[asyncio.Task[None]] = set()

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
        attending = self._serve_socket(account, path, listener)
        asyncio.run_coroutine_threadsafe(attending, self._loop).result()
        host, port = self._address
        return Endpoint(path, f"http://{host}:{port}/{account.token}")

    async def close(self, session: SessionId) -> Bill:
        """End what is under way for a session, and sum up all it has ever used."""
        closing = asyncio.run_coroutine_threadsafe(self._close(session), self._loop)
        return await asyncio.wrap_future(closing)

    async def _close(self, session: SessionId) -> Bill:
        account = self._accounts.close(session)
        self._close_stale_sockets()
        answering = () if account is None else tuple(account.open_requests)
        for task in answering:
            task.cancel()
        if answering:
            await asyncio.wait(answering)
        return await self._writer.query(lambda ledger: ledger.bill(session))

    async def _serve_socket(
        self, account: BudgetAccount, path: Path, listener: socket.socket
    ) -> None:
        """Serve whoever comes through an account's own socket."""
        connected = self._on_connect(self._handler.handler_for(account), ConnectionCapacity())
        server = await asyncio.start_unix_server(connected, sock=listener, limit=_READ_AHEAD)
        self._socket_servers[account.token] = path, server
        self._close_stale_sockets()

    def _close_stale_sockets(self) -> None:
        for token in [each for each in self._socket_servers if self._accounts.find(each) is None]:
            path, server = self._socket_servers.pop(token)
            server.close()
            path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        # Here and not in the thread: it may need files that a person has to put right.
        line = ServiceClient(self._service)
        self._sockets = SocketDirectory()
        # Agents are accepted from here on: the kernel queues them until the thread is ready.
        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        # Accepted ones inherit it: every part of an answer goes out when it comes.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._address: tuple[str, int] = listener.getsockname()
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()
        self._writer = LedgerWriter(self._ledger)
        self._handler = RequestHandler(
            service=line,
            login=self._login,
            accounts=self._accounts,
            writer=self._writer,
            prices=self._prices,
            now=self._now,
            rehearsal=self._rehearsal,
            request_finished=ChangeNotifier(),
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

    def _run(self, listener: socket.socket, line: ServiceClient) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve(listener, line))

    async def _serve(self, listener: socket.socket, line: ServiceClient) -> None:
        connected = self._on_connect(
            self._handler.handle,
            ConnectionCapacity(_SHARED_BY * MAX_CONNECTIONS, _SHARED_BY * MAX_BYTES),
        )
        server = await asyncio.start_server(connected, sock=listener, limit=_READ_AHEAD)
        await self._stopped.wait()
        for each in (server, *(door for _, door in self._socket_servers.values())):
            each.close()
        conversations = tuple(self._connections)
        for task in conversations:
            task.cancel()
        if conversations:
            await asyncio.wait(conversations)
        await line.close()

    def _on_connect(
        self, answer: HandleRequest, room: ConnectionCapacity
    ) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]:
        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(serve_connection(reader, writer, answer, room))
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)

        return connected
