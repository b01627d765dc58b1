"""The gateway: a reverse proxy on loopback, in a thread and an event loop of its own."""

import asyncio
import socket
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Self

from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Bill, Budget, Ledger
from treadle.gateway.accounts import LOOK_BACK, Accounts, Bell
from treadle.gateway.connection import converse
from treadle.gateway.desk import Desk
from treadle.gateway.service import Line, Service
from treadle.gateway.writing import LedgerWriter
from treadle.session.prices import LISTED, PriceList


class Gateway:
    """Between agents and their model: `with Gateway(service, ledger) as gateway: …`.

    Each session has an address of its own, which is all that its agent needs to know and all
    that identifies it. A busy caller cannot starve the streams that pass here.
    """

    def __init__(
        self,
        service: Service,
        ledger: Ledger,
        *,
        prices: PriceList = LISTED,
        rehearsal: bool = False,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._service = service
        self._ledger = ledger
        self._prices = prices
        self._rehearsal = rehearsal
        self._now = now
        self._accounts = Accounts()

    def open(self, session: SessionId, run: RunId, budget: Budget) -> str:
        """The address of the model for one session, until it is closed."""
        at = self._now()
        so_far = self._ledger.spent(run, since=at - LOOK_BACK, rehearsal=self._rehearsal)
        account = self._accounts.open(session, run, budget, at=at, at_open=so_far)
        host, port = self._address
        return f"http://{host}:{port}/{account.token}"

    async def close(self, session: SessionId) -> Bill:
        """End what is under way for a session, and sum up all it has ever used."""
        closing = asyncio.run_coroutine_threadsafe(self._close(session), self._loop)
        return await asyncio.wrap_future(closing)

    async def _close(self, session: SessionId) -> Bill:
        account = self._accounts.close(session)
        answering = () if account is None else tuple(account.answering)
        for task in answering:
            task.cancel()
        if answering:
            await asyncio.wait(answering)
        return await self._writer.ask(lambda ledger: ledger.bill(session))

    def __enter__(self) -> Self:
        # Here and not in the thread: it may need files that a person has to put right.
        line = Line(self._service)
        # Agents are accepted from here on: the kernel queues them until the thread is ready.
        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        # Accepted ones inherit it: every part of an answer goes out when it comes.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._address: tuple[str, int] = listener.getsockname()
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()
        self._writer = LedgerWriter(self._ledger)
        self._thread = threading.Thread(
            target=self._run, args=(listener, line), name="treadle-gateway", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join()  # every task is cancelled, so this is a matter of milliseconds
        self._writer.close()

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, *_: object) -> None:
        self.__exit__()

    def _run(self, listener: socket.socket, line: Line) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve(listener, line))

    async def _serve(self, listener: socket.socket, line: Line) -> None:
        desk = Desk(
            line=line,
            accounts=self._accounts,
            writer=self._writer,
            prices=self._prices,
            now=self._now,
            rehearsal=self._rehearsal,
            settled=Bell(),
        )
        conversations: set[asyncio.Task[None]] = set()  # the loop itself holds tasks only weakly

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(converse(reader, writer, desk.answer))
            conversations.add(task)
            task.add_done_callback(conversations.discard)

        server = await asyncio.start_server(connected, sock=listener, limit=1 << 20)
        await self._stopped.wait()
        server.close()
        for task in conversations:
            task.cancel()
        if conversations:
            await asyncio.wait(conversations)
        await line.close()
