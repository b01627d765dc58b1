"""Handles one request: admits it, forwards it, meters the response and books its cost."""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, assert_never

import orjson

from treadle.domain.errors import StoreError
from treadle.domain.ledger import CostSoFar, Ledger, LedgerEntry
from treadle.gateway import request_rules
from treadle.gateway.accounts import BudgetAccount, BudgetAccounts, ChangeNotifier, Reservation
from treadle.gateway.admission import Admit, Hold, Refuse, RequestSize, admit, measure, reservation
from treadle.gateway.client_connection import AgentRequest, Client, HandleRequest
from treadle.gateway.headers import is_from_subscription, to_agent, to_service, window_shares
from treadle.gateway.ledger_writer import LedgerWriter
from treadle.gateway.login import Login
from treadle.gateway.model_service import ServiceClient
from treadle.gateway.request_rules import RequestKind, request_kind, split_token
from treadle.gateway.response_meter import BodyMeter, NoMeter, ResponseMeter, StreamMeter
from treadle.session.budget_refusal import budget_refusal_message
from treadle.session.price_list import PriceList

if TYPE_CHECKING:
    import httpx2

# So long a request waits for others of a nearly spent budget; an agent waits a little longer.
HOLD_S = 240.0


@dataclass(frozen=True, slots=True)
class RequestHandler:
    """What every request needs."""

    service: ServiceClient
    login: Login
    accounts: BudgetAccounts
    writer: LedgerWriter
    prices: PriceList
    now: Callable[[], datetime]
    rehearsal: bool
    # Rung whenever a request is over.
    request_finished: ChangeNotifier

    async def handle(self, request: AgentRequest, client: Client) -> None:
        """Answer a request whose address says whose it is, whatever becomes of it."""
        token, target = split_token(request.target)
        await self._handle_for_token(replace(request, target=target), token, client)

    def handler_for(self, account: BudgetAccount) -> HandleRequest:
        """Answers every request as this account's."""

        async def answer(request: AgentRequest, client: Client) -> None:
            await self._handle_for_token(request, account.token, client)

        return answer

    async def _handle_for_token(self, request: AgentRequest, token: str, client: Client) -> None:
        account = self.accounts.find(token)
        kind = request_kind(request.method, request.target)
        if account is None or kind is None:
            # The same words for both, so that nobody learns which addresses there are.
            message = "Treadle: this gateway passes on requests for messages alone"
            await _send_error(client, 403, "permission_error", message)
            return
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  # a coroutine runs in one
        account.open_requests.add(task)
        try:
            await self._handle_request(request, kind, account, client)
        finally:
            account.open_requests.discard(task)

    async def _handle_request(
        self, request: AgentRequest, kind: RequestKind, account: BudgetAccount, client: Client
    ) -> None:
        if kind == "greeting":
            await client.start(200, [(b"content-length", b"0")])
            await client.finish()
            return
        body = request_rules.parse_body(request.body)
        if body is None:
            message = "Treadle: the request is no object in JSON, or has too many parts"
            await _send_error(client, 400, "invalid_request_error", message)
            return
        beyond = request_rules.find_forbidden_use(body, account.served)
        if beyond is not None:
            message = f"Treadle: the model may not turn to anybody else for this: {beyond}"
            await _send_error(client, 403, "permission_error", message)
            return
        request = replace(request, body=request_rules.serialize_body(body))
        match kind:
            case "message":
                wanted = measure(body, len(request.body))
                await self._handle_message(request, wanted, account, client)
            case "count":
                await self._forward(request, None, client)
            case never:
                assert_never(never)

    async def _handle_message(
        self, request: AgentRequest, wanted: RequestSize, account: BudgetAccount, client: Client
    ) -> None:
        """A request that a model answers, and that therefore costs something."""
        ticket = Reservation(reservation(wanted, self.prices))
        try:
            refused = await self._wait_for_admission(account, ticket)
        except StoreError as error:
            message = f"Treadle: the ledger cannot be written: {error.message}"
            await _send_error(client, 500, "api_error", message)
            return
        if refused is not None:
            message = budget_refusal_message(refused.level, refused.budget_usd)
            await _send_error(client, 402, "billing_error", message)
            return
        try:
            await self._forward(
                request, RequestCharge(self, account, ticket, request, wanted), client
            )
        finally:
            account.reservations.discard(ticket)
            self.request_finished.notify_all()

    async def _wait_for_admission(
        self, account: BudgetAccount, ticket: Reservation
    ) -> Refuse | None:
        """None once the ticket is among those under way."""
        waits_until = asyncio.get_running_loop().time() + HOLD_S

        def so_far(ledger: Ledger) -> CostSoFar:
            return ledger.spent(account.run, since=account.since, rehearsal=self.rehearsal)

        while True:
            bookings, now = self.accounts.bookings, await self.writer.query(so_far)
            if bookings != self.accounts.bookings:
                continue  # the ledger spoke before it knew of those
            match admit(self.accounts.budget_states(account, now), ticket.reserved_usd):
                case Admit():
                    account.reservations.add(ticket)
                    return None
                case Refuse() as refused:
                    return refused
                case Hold(level=level, budget_usd=budget_usd):
                    try:
                        async with asyncio.timeout_at(waits_until):
                            await self.request_finished.wait()
                    except TimeoutError:
                        return Refuse(level, budget_usd)
                case never:
                    assert_never(never)

    async def _forward(
        self, request: AgentRequest, tab: "RequestCharge | None", client: Client
    ) -> None:
        import httpx2

        headers = to_service(request.raw_headers, self.login)
        asking = self.service.stream_request(request.method, request.target, headers, request.body)
        try:
            async with asking as response:
                if tab is not None:
                    tab.start(response)
                length = _content_length(response)
                await client.start(response.status_code, to_agent(response.headers.raw, length))
                async for part in response.aiter_bytes():
                    if tab is not None:
                        tab.feed(part)
                    await client.send(part)
                if tab is not None:
                    tab.close()  # before the agent can ask for more
                await client.finish()
        except httpx2.HTTPError as error:
            # An answer that was begun is left unfinished, so that the agent sees it is not whole.
            if not client.started:
                message = f"Treadle: the model service was not reached: {type(error).__name__}"
                await _send_error(client, 502, "api_error", message, retry=True)
        finally:
            if tab is not None:
                tab.close()


class RequestCharge:
    """What one request is charged: written down when its answer begins, and again at its end."""

    def __init__(
        self,
        desk: RequestHandler,
        account: BudgetAccount,
        ticket: Reservation,
        request: AgentRequest,
        wanted: RequestSize,
    ) -> None:
        self._handler = desk
        self._account = account
        self._ticket = ticket
        self._request_headers = request.headers()
        self._request_size = wanted
        self._id = secrets.token_hex(16)
        self._at = desk.now()
        self._meter: ResponseMeter = NoMeter()
        self._response_headers: dict[str, str] = {}
        self._booked: LedgerEntry | None = None

    def start(self, response: "httpx2.Response") -> None:
        self._response_headers = dict(response.headers)
        if response.status_code != 200:
            return
        kind = self._response_headers.get("content-type", "")
        if "event-stream" in kind:
            self._meter = StreamMeter()
        elif "json" in kind:
            self._meter = BodyMeter(self._request_size.model, self._request_size.prompt_tokens)

    def feed(self, part: bytes) -> None:
        self._meter.feed(part)
        if self._booked is None and isinstance(self._meter, StreamMeter):
            # The larger part of most costs is known here, and a crash must not lose it.
            self._book()

    def close(self) -> None:
        """Book the answer as it stands; a second time does nothing more."""
        self._book()

    def _book(self) -> None:
        entry = self._make_entry()
        if entry is None or entry == self._booked:
            return
        self._booked = entry
        self._handler.accounts.book(self._account, self._ticket, entry.cost_usd)
        self._handler.writer.put(entry)

    def _make_entry(self) -> LedgerEntry | None:
        read = self._meter.reading()
        if read is None:
            return None
        model = read.model or self._request_size.model
        cost = self._handler.prices.estimate(read.usage, model, read.extras)
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
            subscription=is_from_subscription(self._request_headers, self._response_headers),
            rehearsal=self._handler.rehearsal,
            agent=self._request_headers.get("x-claude-code-agent-id", "")[:200],
            windows=window_shares(self._response_headers),
        )


def _content_length(response: "httpx2.Response") -> str | None:
    """The body's length, if it passes as it comes."""
    if response.headers.get("content-encoding", "identity") != "identity":
        return None
    length = response.headers.get("content-length")
    return None if length is None else str(length)


async def _send_error(
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
