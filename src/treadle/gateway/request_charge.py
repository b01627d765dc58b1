"""The charge of one request: reserved in the ledger before it is sent, settled when it is over."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from treadle.domain.ledger import LedgerEntry
from treadle.domain.usage import Usage
from treadle.gateway.accounts import BudgetAccount, BudgetAccounts, Reservation, current_task
from treadle.gateway.admission import AskedReservation
from treadle.gateway.client_connection import AgentRequest
from treadle.gateway.headers import ServiceHeaders, is_from_subscription, window_shares
from treadle.gateway.ledger_writer import LedgerWriter
from treadle.gateway.request_size import RequestSize, reservation
from treadle.gateway.response_meter import BodyMeter, NoMeter, ResponseMeter, StreamMeter
from treadle.gateway.usage_reading import UsageReading, price_reading
from treadle.session.price_list import PriceList

if TYPE_CHECKING:
    import httpx2


WarningKind = Literal["field", "beta", "price", "usage", "body"]


@dataclass(frozen=True, slots=True)
class ChargeLedger:
    """Where charges are booked, and at which prices."""

    accounts: BudgetAccounts
    writer: LedgerWriter
    prices: PriceList
    now: Callable[[], datetime]
    rehearsal: bool
    # Tells a person something of this kind, once.
    warn: Callable[[WarningKind, str], None]


class RequestCharge:
    """The ledger has the most that the request may cost from before it is sent until its usage is
    known, so that neither a cut connection nor a crash makes it free."""

    def __init__(
        self,
        book: ChargeLedger,
        account: BudgetAccount,
        request: AgentRequest,
        sent: ServiceHeaders,
        size: RequestSize,
    ) -> None:
        self._book = book
        self._account = account
        self._sent = sent
        self._size = size
        self._reserved = Reservation(reservation(size, book.prices), book.now(), size.unsized)
        self._agent = request.headers().get("x-claude-code-agent-id", "")[:200]
        self._id = secrets.token_hex(16)
        self._meter: ResponseMeter = NoMeter()
        self._response_headers: dict[str, str] = {}
        self._state: Literal["new", "reserved", "sent", "unanswered", "settled"] = "new"
        # How the answer ended at the service; "open" if we stopped reading before it did.
        self._end: Literal["open", "cut", "whole"] = "open"

    @property
    def asked(self) -> AskedReservation:
        return AskedReservation(self._reserved.usd, self._reserved.unsized)

    async def reserve(self) -> None:
        """Count the reservation from now on, and store it; StoreError if that fails."""
        self._book.accounts.reserve(self._account, self._reserved)
        self._state = "reserved"
        try:
            await self._book.writer.store(self._entry(self._size.most, self._reserved.usd))
        except BaseException:
            self.close()
            raise

    def send(self) -> None:
        """The request goes out: from here on it may cost something."""
        self._state = "sent"
        self._account.sent_requests.add(current_task())

    def start(self, response: "httpx2.Response") -> None:
        self._response_headers = dict(response.headers)
        if response.status_code != 200:
            self.answer_nothing()
            return
        kind = self._response_headers.get("content-type", "")
        if "event-stream" in kind:
            self._meter = StreamMeter()
        elif "json" in kind:
            self._meter = BodyMeter()

    def feed(self, chunk: bytes) -> None:
        self._account.received += len(chunk)
        self._meter.feed(chunk)

    def end(self) -> None:
        """The service has sent its whole answer."""
        self._end = "whole"

    def cut_off(self) -> None:
        """The service, or the way to it, has cut the answer off."""
        self._end = "cut"

    def answer_nothing(self) -> None:
        """No model has answered, or will: the request costs nothing."""
        self._state = "unanswered"
        self._account.sent_requests.discard(current_task())

    def close(self) -> None:
        """Settle the charge; safe to call twice."""
        if self._state in ("new", "settled"):
            return
        entry = self._final_entry() if self._state == "sent" else None
        self._state = "settled"
        cost_usd = 0.0 if entry is None else entry.cost_usd
        self._book.accounts.settle(self._account, self._reserved, cost_usd)
        if entry is None:
            self._book.writer.remove(self._id)
        else:
            self._book.writer.put(entry)

    def _final_entry(self) -> LedgerEntry | None:
        reading = self._meter.reading()
        if reading is None:
            if self._end == "whole" and self._meter.is_error:
                return None
            if self._end == "whole":
                self._book.warn("usage", _UNREADABLE)
            return self._entry(self._size.most, self._reserved.usd)
        if not reading.complete:
            reading = self._with_ceiling(reading)
        cost = price_reading(reading, self._size.model, self._book.prices)
        if not cost.priced:
            self._warn_of_prices(reading)
        return replace(
            self._entry(reading.total, cost.cost_usd),
            model=reading.model or self._size.model,
            priced=cost.priced,
            estimated=not reading.complete,
        )

    def _with_ceiling(self, reading: UsageReading) -> UsageReading:
        """The reading of an unfinished answer. What it has said is all that it cost only if the
        service ended it and nothing of it was hidden."""
        if self._end != "open" and not self._size.thinks and self._size.answers == 1:
            return reading
        if not reading.usage.prompt_tokens or self._size.answers > 1:
            return replace(reading, usage=self._size.most, extras=self._size.extras)
        output = max(reading.usage.output_tokens, self._size.max_output)
        return replace(reading, usage=replace(reading.usage, output_tokens=output))

    def _warn_of_prices(self, reading: UsageReading) -> None:
        model = reading.model or self._size.model
        if reading.extras.unknown:
            names = ", ".join(reading.extras.unknown)
            self._book.warn("price", f"the service bills something unknown ({names}): {_DEAREST}")
        else:
            self._book.warn("price", f"no price is known for {model or 'a model'}: {_DEAREST}")

    def _entry(self, usage: Usage, cost_usd: float) -> LedgerEntry:
        return LedgerEntry(
            id=self._id,
            run=self._account.run,
            session=self._account.session,
            at=self._reserved.at,
            model=self._size.model,
            usage=usage,
            cost_usd=cost_usd,
            priced=self._book.prices.price_of(self._size.model) is not None,
            estimated=True,
            subscription=is_from_subscription(self._sent, self._response_headers),
            rehearsal=self._book.rehearsal,
            agent=self._agent,
            windows=window_shares(self._response_headers),
        )


_UNREADABLE = (
    "the service reported no usage in a known form: the request is charged at the most that it may"
    " have cost"
)
_DEAREST = "it counts at the highest known price; `prices` in treadle.toml sets one"
