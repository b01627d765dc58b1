"""The open sessions: what each may spend, has spent, and has reserved."""

import asyncio
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Budget, BudgetLevel, CostSoFar
from treadle.gateway.admission import BudgetState

# Responses that started before a session was opened may be booked after it.
LOOK_BACK = timedelta(hours=1)


@dataclass(eq=False, slots=True)
class Reservation:
    """One open request: what is reserved for it, and how much of that is already booked."""

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
    # The ledger's totals when the budget was set; only later entries count against it.
    at_open: CostSoFar
    # Kinds of server tools that the session may use: see `request_rules`.
    server_tools: frozenset[str] = frozenset()
    spent_usd: float = 0.0
    reservations: set[Reservation] = field(default_factory=set)
    open_requests: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def since(self) -> datetime:
        return self.opened_at - LOOK_BACK


class ChangeNotifier:
    """Wakes every task that is waiting when `notify_all` is called."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def notify_all(self) -> None:
        self._next.set()
        self._next = asyncio.Event()

    async def wait(self) -> None:
        await self._next.wait()


class BudgetAccounts:
    """The accounts by the token in their URL; a session has at most one."""

    def __init__(self) -> None:
        self._by_token: dict[str, BudgetAccount] = {}
        # Counts bookings, so that a caller sees when its ledger totals are out of date.
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
        server_tools: frozenset[str] = frozenset(),
    ) -> BudgetAccount:
        self.close(session)
        account = BudgetAccount(
            secrets.token_urlsafe(24), session, run, budget, at, at_open, server_tools
        )
        self._by_token[account.token] = account
        return account

    def find(self, token: str) -> BudgetAccount | None:
        return self._by_token.get(token)

    def close(self, session: SessionId) -> BudgetAccount | None:
        """Remove the account; its token is no longer valid."""
        account = next((each for each in self if each.session == session), None)
        return None if account is None else self._by_token.pop(account.token, None)

    def book(self, account: BudgetAccount, reservation: Reservation, cost_usd: float) -> None:
        """Set the cost so far of one request."""
        self.bookings += 1
        account.spent_usd += cost_usd - reservation.booked_usd
        reservation.booked_usd = cost_usd

    def budget_states(self, account: BudgetAccount, now: CostSoFar) -> tuple[BudgetState, ...]:
        """Each budget of the session; `now` is what the ledger says its run and all runs cost."""
        all_accounts = list(self)
        run_accounts = [each for each in all_accounts if each.run == account.run]
        budget, before = account.budget, account.at_open
        of_run, of_all = now.run_usd - before.run_usd, now.all_usd - before.all_usd
        return (
            _budget_state("session", budget.session_usd, account.spent_usd, [account]),
            _budget_state("run", budget.run_usd, max(of_run, account.spent_usd), run_accounts),
            _budget_state("day", budget.day_usd, max(of_all, account.spent_usd), all_accounts),
        )


def _budget_state(
    level: BudgetLevel, budget_usd: float, spent_usd: float, accounts: list[BudgetAccount]
) -> BudgetState:
    reservations = [each for account in accounts for each in account.reservations]
    reserved = sum((each.open_usd for each in reservations), 0.0)
    return BudgetState(level, budget_usd, spent_usd, reserved, len(reservations))
