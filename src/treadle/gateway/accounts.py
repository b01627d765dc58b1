"""The open sessions: what each may spend, has spent, and has reserved."""

import asyncio
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Budget, BudgetLevel, CostSoFar
from treadle.gateway.admission import BudgetState

# Responses that began before a session was opened may still be booked afterwards.
LOOK_BACK = timedelta(hours=1)


@dataclass(eq=False, slots=True)
class Reservation:
    """One request under way: what is put aside for it, and what is booked of it already."""

    reserved_usd: float
    booked_usd: float = 0.0

    @property
    def open_usd(self) -> float:
        return max(0.0, self.reserved_usd - self.booked_usd)


@dataclass(eq=False, slots=True)
class BudgetAccount:
    """One open session."""

    token: str
    session: SessionId
    run: RunId
    budget: Budget
    opened_at: datetime
    # What the ledger held when the budget was counted: only what was added since is spent of it.
    at_open: CostSoFar
    # Kinds of the service's own tools that the session may use: see `gateway.elsewhere`.
    served: frozenset[str] = frozenset()
    spent_usd: float = 0.0
    reservations: set[Reservation] = field(default_factory=set)
    open_requests: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def since(self) -> datetime:
        return self.opened_at - LOOK_BACK


class ChangeNotifier:
    """Rings for everybody who waits at that moment."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def notify_all(self) -> None:
        self._next.set()
        self._next = asyncio.Event()

    async def wait(self) -> None:
        await self._next.wait()


class BudgetAccounts:
    """Found by the secret in an address; a session has one at a time."""

    def __init__(self) -> None:
        self._by_token: dict[str, BudgetAccount] = {}
        # How often something was booked: an older word of the ledger's does not know all of it.
        self.bookings = 0

    def __iter__(self) -> Iterator[BudgetAccount]:
        return iter(tuple(self._by_token.values()))

    def open(
        self,
        session: SessionId,
        run: RunId,
        budget: Budget,
        *,
        at: datetime,
        at_open: CostSoFar,
        served: frozenset[str] = frozenset(),
    ) -> BudgetAccount:
        self.close(session)
        account = BudgetAccount(
            secrets.token_urlsafe(24), session, run, budget, at, at_open, served
        )
        self._by_token[account.token] = account
        return account

    def find(self, token: str) -> BudgetAccount | None:
        return self._by_token.get(token)

    def close(self, session: SessionId) -> BudgetAccount | None:
        """From here on its address is nobody's."""
        found = next((each for each in self if each.session == session), None)
        return None if found is None else self._by_token.pop(found.token, None)

    def book(self, account: BudgetAccount, ticket: Reservation, cost_usd: float) -> None:
        """Count the whole cost so far of one request."""
        self.bookings += 1
        account.spent_usd += cost_usd - ticket.booked_usd
        ticket.booked_usd = cost_usd

    def budget_states(self, account: BudgetAccount, now: CostSoFar) -> tuple[BudgetState, ...]:
        """Each budget of the session; `now` is the ledger's word on what its run and all cost."""
        everywhere = list(self)
        same_run = [each for each in everywhere if each.run == account.run]
        budget, before = account.budget, account.at_open
        of_run, of_all = now.run_usd - before.run_usd, now.all_usd - before.all_usd
        return (
            _budget_state("session", budget.session_usd, account.spent_usd, [account]),
            _budget_state("run", budget.run_usd, max(of_run, account.spent_usd), same_run),
            _budget_state("day", budget.day_usd, max(of_all, account.spent_usd), everywhere),
        )


def _budget_state(
    level: BudgetLevel, budget_usd: float, spent_usd: float, sharing: list[BudgetAccount]
) -> BudgetState:
    tickets = [ticket for account in sharing for ticket in account.reservations]
    reserved = sum((ticket.open_usd for ticket in tickets), 0.0)
    return BudgetState(level, budget_usd, spent_usd, reserved, len(tickets))
