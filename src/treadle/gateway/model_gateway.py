"""The model gateway: a reverse proxy on this machine, in a thread and event loop of its own."""

import asyncio
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Bill, Budget, Ledger
from treadle.domain.model_access import PASS_THROUGH_LOGIN, Endpoint, Login, ModelService
from treadle.gateway.accounts import LOOK_BACK, BudgetAccount, BudgetAccounts, ChangeNotifier
from treadle.gateway.capacity import MAX_BYTES, MAX_CONNECTIONS, READ_ON_S, ConnectionCapacity
from treadle.gateway.client_connection import HandleRequest, serve_connection
from treadle.gateway.credentials import Credentials
from treadle.gateway.ledger_writer import LedgerWriter
from treadle.gateway.request_charge import ChargeLedger, WarningKind
from treadle.gateway.request_handler import HOLD_S, RequestHandler
from treadle.gateway.service_client import ServiceClient
from treadle.gateway.sockets import SocketDirectory
from treadle.session.price_list import PriceList

# Buffered bytes of a request before the sender is paused.
_READ_AHEAD = 1 << 20
# All sessions without a sandbox share the one TCP port.
_SHARED_BY = 8
MOST_WARNINGS = 20
_MOST_OF_A_KIND = 4


@dataclass(frozen=True, slots=True)
class GatewayRules:
    """What passes, whether it is real, and how long the gateway waits, in seconds."""

    rehearsal: bool = False
    # Names of betas, fields and content that pass beside the known ones.
    allowed: frozenset[str] = frozenset()
    # For other requests to leave something of a budget.
    hold_s: float = HOLD_S
    # For the end of an answer whose agent has left.
    read_on_s: float = READ_ON_S
    # For the ends of the answers of a session that is closed, and for their next byte.
    closing_s: float = 15.0
    silent_s: float = 2.0


STANDARD_RULES = GatewayRules()


class Gateway:
    """Between agents and their model: `with Gateway(service, ledger, prices=…) as gateway: …`.

    Each session has an endpoint of its own, which alone identifies it. The thread keeps streams
    flowing while the caller's event loop is busy.
    """

    def __init__(
        self,
        service: ModelService,
        ledger: Ledger,
        *,
        prices: PriceList,
        login: Login = PASS_THROUGH_LOGIN,
        rules: GatewayRules = STANDARD_RULES,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._service = service
        self._ledger = ledger
        self._login = login
        self._prices = prices
        self._rules = rules
        self._now = now
        # What people should know, in the order it came up. One agent can send many names.
        self._warnings: dict[str, WarningKind] = {}
        self._accounts = BudgetAccounts()
        # By an account's token; used in the gateway's thread only.
        self._socket_servers: dict[str, tuple[Path, asyncio.Server]] = {}
        # The event loop holds only weak references to tasks.
        self._connections: set[asyncio.Task[None]] = set()

    def open(
        self,
        session: SessionId,
        run: RunId,
        budget: Budget,
        *,
        server_tools: frozenset[str] = frozenset(),
    ) -> Endpoint:
        """Open an endpoint for a session; it may use these kinds of server tools."""
        at = self._now()
        so_far = self._ledger.spent(run, since=at - LOOK_BACK, rehearsal=self._rules.rehearsal)
        path, listener = self._sockets.listen()
        account = self._accounts.open(
            session, run, budget, at=at, at_open=so_far, server_tools=server_tools
        )
        serving = self._serve_socket(account, path, listener)
        asyncio.run_coroutine_threadsafe(serving, self._loop).result()
        host, port = self._address
        return Endpoint(path, f"http://{host}:{port}/{account.token}")

    async def close(self, session: SessionId) -> Bill:
        """End the session's open requests, and return its bill with all warnings so far."""
        closing = asyncio.run_coroutine_threadsafe(self._close(session), self._loop)
        return await asyncio.wrap_future(closing)

    async def _close(self, session: SessionId) -> Bill:
        account = self._accounts.close(session)
        self._close_stale_sockets()
        if account is not None and account.open_requests:
            await self._end_requests(account)
        bill = await self._writer.query(lambda ledger: ledger.bill(session))
        return replace(bill, warnings=tuple(self._warnings))

    async def _end_requests(self, account: BudgetAccount) -> None:
        """End what has not been sent, and let answers that are still coming come to their end,
        which tells their cost."""
        requests = tuple(account.open_requests)
        for task in account.open_requests - account.sent_requests:
            task.cancel()
        deadline, received = self._loop.time() + self._rules.closing_s, -1
        while received != account.received and self._loop.time() < deadline:
            received = account.received
            await asyncio.wait(requests, timeout=self._rules.silent_s)
        for task in requests:
            task.cancel()
        await asyncio.wait(requests)

    def _warn(self, kind: WarningKind, message: str) -> None:
        # It may hold words of the agent's.
        shown = "".join(each if each.isprintable() else "?" for each in message)
        # By kind: many of one must not hide another.
        if list(self._warnings.values()).count(kind) < _MOST_OF_A_KIND:
            self._warnings.setdefault(shown, kind)

    async def _serve_socket(
        self, account: BudgetAccount, path: Path, listener: socket.socket
    ) -> None:
        """Serve connections to the account's own socket."""
        capacity = ConnectionCapacity(read_on_s=self._rules.read_on_s)
        on_connect = self._on_connect(self._handler.handler_for(account), capacity)
        server = await asyncio.start_unix_server(on_connect, sock=listener, limit=_READ_AHEAD)
        self._socket_servers[account.token] = path, server
        self._close_stale_sockets()

    def _close_stale_sockets(self) -> None:
        for token in [each for each in self._socket_servers if self._accounts.find(each) is None]:
            path, server = self._socket_servers.pop(token)
            server.close()
            path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        # Not in the thread: an invalid certificate file must raise here.
        service_client = ServiceClient(self._service)
        self._sockets = SocketDirectory()
        # The kernel queues connections from here on, until the thread accepts them.
        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        # Accepted connections inherit it, so that parts of a response are sent at once.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._address: tuple[str, int] = listener.getsockname()
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()
        self._writer = LedgerWriter(self._ledger)
        book = ChargeLedger(
            self._accounts, self._writer, self._prices, self._now, self._rules.rehearsal, self._warn
        )
        self._handler = RequestHandler(
            service=service_client,
            credentials=Credentials(self._login),
            book=book,
            allowed=self._rules.allowed,
            request_finished=ChangeNotifier(),
            hold_s=self._rules.hold_s,
        )
        self._thread = threading.Thread(
            target=self._run, args=(listener, service_client), name="treadle-gateway", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join()
        self._sockets.close()
        self._writer.close()

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, *_: object) -> None:
        self.__exit__()

    def _run(self, listener: socket.socket, service_client: ServiceClient) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve(listener, service_client))

    async def _serve(self, listener: socket.socket, service_client: ServiceClient) -> None:
        on_connect = self._on_connect(
            self._handler.handle,
            ConnectionCapacity(
                _SHARED_BY * MAX_CONNECTIONS,
                _SHARED_BY * MAX_BYTES,
                read_on_s=self._rules.read_on_s,
            ),
        )
        server = await asyncio.start_server(on_connect, sock=listener, limit=_READ_AHEAD)
        await self._stopped.wait()
        for each in (
            server,
            *(socket_server for _, socket_server in self._socket_servers.values()),
        ):
            each.close()
        connections = tuple(self._connections)
        for task in connections:
            task.cancel()
        if connections:
            await asyncio.wait(connections)
        await service_client.close()

    def _on_connect(
        self, handle: HandleRequest, capacity: ConnectionCapacity
    ) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]:
        def on_connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(serve_connection(reader, writer, handle, capacity))
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)

        return on_connect
