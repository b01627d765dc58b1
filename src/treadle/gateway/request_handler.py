"""Handles one request: checks it, waits until a budget covers it, and has it forwarded."""

import asyncio
import re
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from typing import assert_never

from treadle.domain.errors import StoreError
from treadle.domain.ledger import Ledger
from treadle.gateway import request_rules
from treadle.gateway.accounts import BudgetAccount, ChangeNotifier, LedgerTotals, current_task
from treadle.gateway.admission import AdmitRequest, HoldRequest, RefuseRequest, admit
from treadle.gateway.client_connection import AgentRequest, Client, HandleRequest
from treadle.gateway.credentials import Credentials
from treadle.gateway.forwarding import forward_count, forward_message, send_error, send_retry
from treadle.gateway.headers import ServiceHeaders, to_service
from treadle.gateway.request_charge import ChargeLedger, RequestCharge, WarningKind
from treadle.gateway.request_filter import (
    FilteredRequest,
    filter_fields,
    find_odd_limit,
    find_unknown_content,
)
from treadle.gateway.request_rules import RequestKind, request_kind, service_target, split_token
from treadle.gateway.request_size import RequestSize, measure
from treadle.gateway.service_client import ServiceClient
from treadle.session.budget_refusal import budget_refusal_message

# How long a request waits for open ones of a nearly spent budget; agents time out later.
HOLD_S = 240.0
# How often a request looks whether another process has finished one.
_LOOK_S = 1.0
# An older estimate is of a request that was cut off.
_OPEN_FOR = timedelta(minutes=20)
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,60}")
_HOW_TO_ALLOW = "`gateway.allow` in treadle.toml lets it through"


@dataclass(frozen=True, slots=True)
class RequestHandler:
    """Handles the requests of all sessions."""

    service: ServiceClient
    credentials: Credentials
    book: ChargeLedger
    # Names of betas, fields and content that pass beside the known ones.
    allowed: frozenset[str]
    # Notified whenever a request has finished.
    request_finished: ChangeNotifier
    hold_s: float = HOLD_S

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
        account = self.book.accounts.find(token)
        kind = request_kind(request.method, request.target)
        if account is None or kind is None:
            # One message for both, so that it does not reveal which tokens exist.
            message = "Treadle: this gateway passes on only requests for messages"
            await send_error(client, 403, "permission_error", message)
            return
        task = current_task()
        account.open_requests.add(task)
        try:
            await self._handle_request(request, kind, account, client)
        finally:
            account.open_requests.discard(task)
            account.sent_requests.discard(task)

    async def _handle_request(
        self, request: AgentRequest, kind: RequestKind, account: BudgetAccount, client: Client
    ) -> None:
        if kind == "greeting":
            await client.start(200, [(b"content-length", b"0")])
            await client.finish()
            return
        checked = self._check(request, account)
        if isinstance(checked, _Refusal):
            await send_error(client, checked.status, checked.kind, checked.message)
            return
        request, headers = checked.request, checked.headers
        match kind:
            case "message":
                charge = RequestCharge(self.book, account, request, headers, checked.size)
                await self._handle_message(request, headers, charge, account, client)
            case "count":
                async with account.counting:
                    await forward_count(
                        self.service, self.credentials, request, headers.headers, client
                    )
            case never:
                assert_never(never)

    def _check(self, request: AgentRequest, account: BudgetAccount) -> "_CheckedRequest | _Refusal":
        """The request as it goes on. What was parsed is let go before anything waits: it takes
        many times the memory of its text."""
        body = request_rules.parse_body(request.body)
        if body is None:
            message = "Treadle: the request is not a JSON object, or has too many parts"
            return _Refusal(400, "invalid_request_error", message)
        use = request_rules.find_forbidden_use(body, account.server_tools)
        if use is not None:
            message = f"Treadle: the model's service may not contact anybody else for this: {use}"
            return _Refusal(403, "permission_error", message)
        content = find_odd_limit(body) or find_unknown_content(body, self.allowed)
        if content is not None:
            # After 400 an agent tries again, and 403 reads like a login that failed.
            message = f"Treadle: the cost of this is not known: {content}; {_HOW_TO_ALLOW}"
            return _Refusal(409, "invalid_request_error", message)
        filtered = filter_fields(body, self.allowed)
        serialized = request_rules.serialize_body(filtered.body)
        if serialized is None:
            self.book.warn("body", "a request of the agent was nested too deep, and was refused")
            message = "Treadle: the request is nested too deep"
            return _Refusal(400, "invalid_request_error", message)
        headers = to_service(request.raw_headers, self.credentials.login, self.allowed)
        self._warn_of_left_out(filtered, headers)
        target = service_target(request.target)
        forwarded = replace(request, target=target, body=serialized)
        return _CheckedRequest(forwarded, headers, measure(filtered.body, serialized))

    def _warn_of_left_out(self, request: FilteredRequest, headers: ServiceHeaders) -> None:
        kinds: tuple[tuple[WarningKind, tuple[str, ...]], ...] = (
            ("field", request.left_out),
            ("beta", headers.left_out),
        )
        for kind, names in kinds:
            for name in names:
                self.book.warn(kind, _left_out_text(kind, name))

    async def _handle_message(
        self,
        request: AgentRequest,
        headers: ServiceHeaders,
        charge: RequestCharge,
        account: BudgetAccount,
        client: Client,
    ) -> None:
        """Handle a request that a model answers, and that is charged."""
        try:
            outcome = await self._wait_for_admission(account, charge)
        except StoreError as error:
            message = f"Treadle: the ledger cannot be written: {error.message}"
            await send_error(client, 500, "api_error", message)
            return
        match outcome:
            case RefuseRequest(level=level, budget_usd=budget_usd):
                message = budget_refusal_message(level, budget_usd)
                await send_error(client, 402, "billing_error", message)
            case HoldRequest(level=level):
                message = f"Treadle: other requests may need what the {level} has left: try again"
                await send_retry(client, 529, "overloaded_error", message)
            case AdmitRequest():
                try:
                    await forward_message(
                        self.service, self.credentials, request, headers.headers, charge, client
                    )
                finally:
                    charge.close()
                    self.request_finished.notify_all()
            case never:
                assert_never(never)

    async def _wait_for_admission(
        self, account: BudgetAccount, charge: RequestCharge
    ) -> AdmitRequest | HoldRequest | RefuseRequest:
        """Admit the request, with its reservation stored, or refuse it, or give up waiting."""
        loop, accounts = asyncio.get_running_loop(), self.book.accounts
        deadline = loop.time() + self.hold_s
        while True:
            changes = accounts.changes
            totals = await self.book.writer.query(lambda ledger: self._totals(ledger, account))
            if changes != accounts.changes:
                continue  # something was booked during the query
            match admission := admit(accounts.budget_states(account, totals), charge.asked):
                case AdmitRequest():
                    await charge.reserve()
                    return admission
                case RefuseRequest():
                    return admission
                case HoldRequest() if loop.time() >= deadline:
                    return admission
                case HoldRequest():
                    await self._wait_for_change(deadline)
                case never:
                    assert_never(never)

    async def _wait_for_change(self, deadline: float) -> None:
        look_at = min(deadline, asyncio.get_running_loop().time() + _LOOK_S)
        try:
            async with asyncio.timeout_at(look_at):
                await self.request_finished.wait()
        except TimeoutError:
            pass

    def _totals(self, ledger: Ledger, account: BudgetAccount) -> LedgerTotals:
        run, now, rehearsal = account.run, self.book.now(), self.book.rehearsal
        so_far = ledger.spent(run, since=account.since, rehearsal=rehearsal)
        run_usd = so_far.run_usd - account.at_open.run_usd
        elsewhere = ledger.estimated_of_others(run, since=now - _OPEN_FOR, rehearsal=rehearsal)
        midnight = midnight_before(now)
        if midnight <= account.opened_at:
            day_usd = so_far.all_usd - account.at_open.all_usd
            return LedgerTotals(run_usd, day_usd, elsewhere_usd=elsewhere)
        today = ledger.spent(run, since=midnight, rehearsal=rehearsal)
        return LedgerTotals(run_usd, today.all_usd, midnight, elsewhere)


@dataclass(frozen=True, slots=True)
class _CheckedRequest:
    """A request that may go on, and what it may cost."""

    request: AgentRequest
    headers: ServiceHeaders
    size: RequestSize


@dataclass(frozen=True, slots=True)
class _Refusal:
    status: int
    kind: str
    message: str


def _left_out_text(kind: WarningKind, name: str) -> str:
    """For a person. Words that the agent chose are no part of it, if they are more than a name."""
    if not _NAME.fullmatch(name):
        return f"a {kind} with an unusual name was left out of the agent's requests"
    return (
        f"the {kind} `{name}` is not known and was left out of the agent's requests;"
        f' `gateway.allow = ["{name}"]` lets it through'
    )


def midnight_before(now: datetime) -> datetime:
    """The last midnight by the clock on this machine's wall, also on days of other lengths."""
    return datetime.combine(now.astimezone().date(), time.min).astimezone()
