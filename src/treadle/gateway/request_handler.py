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
from treadle.domain.model_access import Login
from treadle.gateway import request_rules
from treadle.gateway.accounts import BudgetAccount, BudgetAccounts, ChangeNotifier, Reservation
from treadle.gateway.admission import (
    AdmitRequest,
    HoldRequest,
    RefuseRequest,
    RequestSize,
    admit,
    measure,
    reservation,
)
from treadle.gateway.client_connection import AgentRequest, Client, HandleRequest
from treadle.gateway.headers import is_from_subscription, to_agent, to_service, window_shares
from treadle.gateway.ledger_writer import LedgerWriter
from treadle.gateway.request_rules import RequestKind, request_kind, split_token
from treadle.gateway.response_meter import BodyMeter, NoMeter, ResponseMeter, StreamMeter
from treadle.gateway.service_client import ServiceClient
from treadle.session.budget_refusal import budget_refusal_message
from treadle.session.price_list import PriceList

if TYPE_CHECKING:
    import httpx2

# How long a request waits for open ones of a nearly spent budget; agents time out later.
HOLD_S = 240.0


@dataclass(frozen=True, slots=True)
class RequestHandler:
    """Handles the requests of all sessions."""

    service: ServiceClient
    login: Login
    accounts: BudgetAccounts
    writer: LedgerWriter
    prices: PriceList
    now: Callable[[], datetime]
    rehearsal: bool
    # Notified whenever a request has finished.
    request_finished: ChangeNotifier

    async def handle(self, request: AgentRequest, client: Client) -> None:
        """Handle a request whose path starts with a session's token."""
        token, target = split_token(request.target)
        await self._handle_for_token(replace(request, target=target), token, client)

    def handler_for(self, account: BudgetAccount) -> HandleRequest:
        """A handler that counts every request as this account's."""

        async def handle_as_account(request: AgentRequest, client: Client) -> None:
            await self._handle_for_token(request, account.token, client)

        return handle_as_account

    async def _handle_for_token(self, request: AgentRequest, token: str, client: Client) -> None:
        account = self.accounts.find(token)
        kind = request_kind(request.method, request.target)
        if account is None or kind is None:
            # One message for both, so that it does not reveal which tokens exist.
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
        forbidden_use = request_rules.find_forbidden_use(body, account.server_tools)
        if forbidden_use is not None:
            message = f"Treadle: the model may not turn to anybody else for this: {forbidden_use}"
            await _send_error(client, 403, "permission_error", message)
            return
        request = replace(request, body=request_rules.serialize_body(body))
        match kind:
            case "message":
                size = measure(body, len(request.body))
                await self._handle_message(request, size, account, client)
            case "count":
                await self._forward(request, None, client)
            case never:
                assert_never(never)

    async def _handle_message(
        self, request: AgentRequest, size: RequestSize, account: BudgetAccount, client: Client
    ) -> None:
        """Handle a request that a model answers, and that is charged."""
        reserved = Reservation(reservation(size, self.prices))
        try:
            refused = await self._wait_for_admission(account, reserved)
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
                request, RequestCharge(self, account, reserved, request, size), client
            )
        finally:
            account.reservations.discard(reserved)
            self.request_finished.notify_all()

    async def _wait_for_admission(
        self, account: BudgetAccount, reserved: Reservation
    ) -> RefuseRequest | None:
        """None once the request is admitted and its reservation counted."""
        deadline = asyncio.get_running_loop().time() + HOLD_S

        def spent_so_far(ledger: Ledger) -> CostSoFar:
            return ledger.spent(account.run, since=account.since, rehearsal=self.rehearsal)

        while True:
            bookings, now = self.accounts.bookings, await self.writer.query(spent_so_far)
            if bookings != self.accounts.bookings:
                continue  # something was booked during the query
            match admit(self.accounts.budget_states(account, now), reserved.reserved_usd):
                case AdmitRequest():
                    account.reservations.add(reserved)
                    return None
                case RefuseRequest() as refused:
                    return refused
                case HoldRequest(level=level, budget_usd=budget_usd):
                    try:
                        async with asyncio.timeout_at(deadline):
                            await self.request_finished.wait()
                    except TimeoutError:
                        return RefuseRequest(level, budget_usd)
                case never:
                    assert_never(never)

    async def _forward(
        self, request: AgentRequest, charge: "RequestCharge | None", client: Client
    ) -> None:
        import httpx2

        headers = to_service(request.raw_headers, self.login)
        exchange = self.service.stream_request(
            request.method, request.target, headers, request.body
        )
        try:
            async with exchange as response:
                if charge is not None:
                    charge.start(response)
                length = _content_length(response)
                await client.start(response.status_code, to_agent(response.headers.raw, length))
                async for chunk in response.aiter_bytes():
                    if charge is not None:
                        charge.feed(chunk)
                    await client.send(chunk)
                if charge is not None:
                    charge.close()  # before the agent can send its next request
                await client.finish()
        except httpx2.HTTPError as error:
            # A response that has started is left unfinished, so that the agent sees the failure.
            if not client.started:
                message = f"Treadle: the model service was not reached: {type(error).__name__}"
                await _send_error(client, 502, "api_error", message, retry=True)
        finally:
            if charge is not None:
                charge.close()


class RequestCharge:
    """The charge of one request: booked when its response starts, and again at its end."""

    def __init__(
        self,
        handler: RequestHandler,
        account: BudgetAccount,
        reserved: Reservation,
        request: AgentRequest,
        size: RequestSize,
    ) -> None:
        self._handler = handler
        self._account = account
        self._reserved = reserved
        self._request_headers = request.headers()
        self._request_size = size
        self._id = secrets.token_hex(16)
        self._at = handler.now()
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

    def feed(self, chunk: bytes) -> None:
        self._meter.feed(chunk)
        if self._booked is None and isinstance(self._meter, StreamMeter):
            # Most of the cost is known at the start, and a crash must not lose it.
            self._book()

    def close(self) -> None:
        """Book the response as far as it came; safe to call twice."""
        self._book()

    def _book(self) -> None:
        entry = self._make_entry()
        if entry is None or entry == self._booked:
            return
        self._booked = entry
        self._handler.accounts.book(self._account, self._reserved, entry.cost_usd)
        self._handler.writer.put(entry)

    def _make_entry(self) -> LedgerEntry | None:
        reading = self._meter.reading()
        if reading is None:
            return None
        model = reading.model or self._request_size.model
        cost = self._handler.prices.estimate(reading.usage, model, reading.extras)
        return LedgerEntry(
            id=self._id,
            run=self._account.run,
            session=self._account.session,
            at=self._at,
            model=model,
            usage=reading.usage,
            cost_usd=cost.cost_usd,
            priced=cost.priced,
            estimated=not reading.complete,
            subscription=is_from_subscription(self._request_headers, self._response_headers),
            rehearsal=self._handler.rehearsal,
            agent=self._request_headers.get("x-claude-code-agent-id", "")[:200],
            windows=window_shares(self._response_headers),
        )


def _content_length(response: "httpx2.Response") -> str | None:
    """The body's length, if it is forwarded unchanged."""
    if response.headers.get("content-encoding", "identity") != "identity":
        return None
    length = response.headers.get("content-length")
    return None if length is None else str(length)


async def _send_error(
    client: Client, status: int, kind: str, message: str, *, retry: bool = False
) -> None:
    """Send an error in the service's format; without `retry`, agents report it at once."""
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
