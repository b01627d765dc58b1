"""One request through the gateway: let in, passed on, metered while the answer passes, booked."""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, assert_never

import orjson

from treadle.domain.errors import StoreError
from treadle.domain.ledger import CostSoFar, Ledger, LedgerEntry
from treadle.gateway import elsewhere
from treadle.gateway.accounts import Account, Accounts, Bell, Ticket
from treadle.gateway.admission import Admit, Asked, Hold, Refuse, admit, asked, reservation
from treadle.gateway.connection import Answer, Client, Request
from treadle.gateway.headers import from_subscription, to_agent, to_service, window_shares
from treadle.gateway.login import Login
from treadle.gateway.metering import BodyMeter, NoMeter, ResponseMeter, StreamMeter
from treadle.gateway.routes import Kind, addressed, kind_of
from treadle.gateway.service import Line
from treadle.gateway.writing import LedgerWriter
from treadle.session.prices import PriceList
from treadle.session.refusal import refusal

if TYPE_CHECKING:
    import httpx2

# So long a request waits for others of a nearly spent budget; an agent waits a little longer.
HOLD_S = 240.0


@dataclass(frozen=True, slots=True)
class Desk:
    """What every request needs."""

    line: Line
    login: Login
    accounts: Accounts
    writer: LedgerWriter
    prices: PriceList
    now: Callable[[], datetime]
    rehearsal: bool
    # Rung whenever a request is over.
    settled: Bell

    async def answer(self, request: Request, client: Client) -> None:
        """Answer a request whose address says whose it is, whatever becomes of it."""
        token, target = addressed(request.target)
        await self._answer(replace(request, target=target), token, client)

    def door_of(self, account: Account) -> Answer:
        """Answers every request as this account's."""

        async def answer(request: Request, client: Client) -> None:
            await self._answer(request, account.token, client)

        return answer

    async def _answer(self, request: Request, token: str, client: Client) -> None:
        account = self.accounts.find(token)
        kind = kind_of(request.method, request.target)
        if account is None or kind is None:
            # The same words for both, so that nobody learns which addresses there are.
            message = "Treadle: this gateway passes on requests for messages alone"
            await _say(client, 403, "permission_error", message)
            return
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  # a coroutine runs in one
        account.answering.add(task)
        try:
            await self._served(request, kind, account, client)
        finally:
            account.answering.discard(task)

    async def _served(self, request: Request, kind: Kind, account: Account, client: Client) -> None:
        if kind == "greeting":
            await client.start(200, [(b"content-length", b"0")])
            await client.finish()
            return
        body = elsewhere.read(request.body)
        if body is None:
            message = "Treadle: the request is no object in JSON, or has too many parts"
            await _say(client, 400, "invalid_request_error", message)
            return
        beyond = elsewhere.turns_to(body, account.served)
        if beyond is not None:
            message = f"Treadle: the model may not turn to anybody else for this: {beyond}"
            await _say(client, 403, "permission_error", message)
            return
        request = replace(request, body=elsewhere.written(body))
        match kind:
            case "message":
                wanted = asked(body, len(request.body))
                await self._charged(request, wanted, account, client)
            case "count":
                await self._pass_on(request, None, client)
            case never:
                assert_never(never)

    async def _charged(
        self, request: Request, wanted: Asked, account: Account, client: Client
    ) -> None:
        """A request that a model answers, and that therefore costs something."""
        ticket = Ticket(reservation(wanted, self.prices))
        try:
            refused = await self._admitted(account, ticket)
        except StoreError as error:
            message = f"Treadle: the ledger cannot be written: {error.message}"
            await _say(client, 500, "api_error", message)
            return
        if refused is not None:
            message = refusal(refused.level, refused.budget_usd)
            await _say(client, 402, "billing_error", message)
            return
        try:
            await self._pass_on(request, Tab(self, account, ticket, request, wanted), client)
        finally:
            account.tickets.discard(ticket)
            self.settled.ring()

    async def _admitted(self, account: Account, ticket: Ticket) -> Refuse | None:
        """None once the ticket is among those under way."""
        waits_until = asyncio.get_running_loop().time() + HOLD_S

        def so_far(ledger: Ledger) -> CostSoFar:
            return ledger.spent(account.run, since=account.since, rehearsal=self.rehearsal)

        while True:
            bookings, now = self.accounts.bookings, await self.writer.ask(so_far)
            if bookings != self.accounts.bookings:
                continue  # the ledger spoke before it knew of those
            match admit(self.accounts.standings(account, now), ticket.reserved_usd):
                case Admit():
                    account.tickets.add(ticket)
                    return None
                case Refuse() as refused:
                    return refused
                case Hold(level=level, budget_usd=budget_usd):
                    try:
                        async with asyncio.timeout_at(waits_until):
                            await self.settled.heard()
                    except TimeoutError:
                        return Refuse(level, budget_usd)
                case never:
                    assert_never(never)

    async def _pass_on(self, request: Request, tab: "Tab | None", client: Client) -> None:
        import httpx2

        headers = to_service(request.raw_headers, self.login)
        asking = self.line.ask(request.method, request.target, headers, request.body)
        try:
            async with asking as response:
                if tab is not None:
                    tab.begin(response)
                length = _length(response)
                await client.start(response.status_code, to_agent(response.headers.raw, length))
                async for part in response.aiter_bytes():
                    if tab is not None:
                        tab.meter(part)
                    await client.send(part)
                if tab is not None:
                    tab.close()  # before the agent can ask for more
                await client.finish()
        except httpx2.HTTPError as error:
            # An answer that was begun is left unfinished, so that the agent sees it is not whole.
            if not client.started:
                message = f"Treadle: the model service was not reached: {type(error).__name__}"
                await _say(client, 502, "api_error", message, retry=True)
        finally:
            if tab is not None:
                tab.close()


class Tab:
    """What one request is charged: written down when its answer begins, and again at its end."""

    def __init__(
        self, desk: Desk, account: Account, ticket: Ticket, request: Request, wanted: Asked
    ) -> None:
        self._desk = desk
        self._account = account
        self._ticket = ticket
        self._asked_by = request.headers()
        self._wanted = wanted
        self._id = secrets.token_hex(16)
        self._at = desk.now()
        self._meter: ResponseMeter = NoMeter()
        self._told: dict[str, str] = {}
        self._booked: LedgerEntry | None = None

    def begin(self, response: "httpx2.Response") -> None:
        self._told = dict(response.headers)
        if response.status_code != 200:
            return
        kind = self._told.get("content-type", "")
        if "event-stream" in kind:
            self._meter = StreamMeter()
        elif "json" in kind:
            self._meter = BodyMeter(self._wanted.model, self._wanted.prompt_tokens)

    def meter(self, part: bytes) -> None:
        self._meter.feed(part)
        if self._booked is None and isinstance(self._meter, StreamMeter):
            # The larger part of most costs is known here, and a crash must not lose it.
            self._book()

    def close(self) -> None:
        """Book the answer as it stands; a second time does nothing more."""
        self._book()

    def _book(self) -> None:
        entry = self._entry()
        if entry is None or entry == self._booked:
            return
        self._booked = entry
        self._desk.accounts.book(self._account, self._ticket, entry.cost_usd)
        self._desk.writer.put(entry)

    def _entry(self) -> LedgerEntry | None:
        read = self._meter.reading()
        if read is None:
            return None
        model = read.model or self._wanted.model
        cost = self._desk.prices.estimate(read.usage, model, read.extras)
        return LedgerEntry(
            id=self._id,
            run=self._account.run,
            session=self._account.session,
            at=self._at,
            model=model,
            usage=read.usage,
            cost_usd=cost.cost_usd,
            priced=cost.priced,
            estimated=not read.complete,
            subscription=from_subscription(self._asked_by, self._told),
            rehearsal=self._desk.rehearsal,
            agent=self._asked_by.get("x-claude-code-agent-id", "")[:200],
            windows=window_shares(self._told),
        )


def _length(response: "httpx2.Response") -> str | None:
    """The body's length, if it passes as it comes."""
    if response.headers.get("content-encoding", "identity") != "identity":
        return None
    length = response.headers.get("content-length")
    return None if length is None else str(length)


async def _say(
    client: Client, status: int, kind: str, message: str, *, retry: bool = False
) -> None:
    """An error in the service's own form; agents report it at once unless they may `retry`."""
    body = orjson.dumps({"type": "error", "error": {"type": kind, "message": message}})
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    if not retry:
        headers.append((b"x-should-retry", b"false"))
    await client.start(status, headers)
    await client.send(body)
    await client.finish()
