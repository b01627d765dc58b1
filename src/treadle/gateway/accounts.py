"""The open sessions: what each may spend, has spent, and has reserved."""

import asyncio
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Budget, BudgetLevel, CostSoFar
from treadle.gateway.admission import BudgetState

# Responses that started before a session was opened may be booked after it.
LOOK_BACK = timedelta(hours=1)
# Requests of one session that count tokens, at a time.
MAX_COUNTING = 4


@dataclass(frozen=True, eq=False, slots=True)
class Reservation:
    """One open request: the most that it may cost. The ledger has a row of this cost for it."""

    usd: float
    at: datetime
    unsized: bool = False


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
    # All that are handled, and those of them that the service has.
    open_requests: set[asyncio.Task[None]] = field(default_factory=set)
    sent_requests: set[asyncio.Task[None]] = field(default_factory=set)
    # Bytes of responses so far; shows whether an answer is still coming.
    received: int = 0
    # Counting tokens is free, so nothing else bounds it.
    counting: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_COUNTING))

    @property
    def since(self) -> datetime:
        return self.opened_at - LOOK_BACK


@dataclass(frozen=True, slots=True)
class LedgerTotals:
    """What the ledger says, open requests included: of the session's run since the account was
    opened, and of all runs since then or, if that was yesterday, since midnight."""

    run_usd: float
    day_usd: float
    # The midnight that lies between, if one does.
    midnight: datetime | None = None
    # Of the day's total, what other runs may have under way.
    elsewhere_usd: float = 0.0


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
        # Of closed sessions: a request of theirs may be open.
        self._closing: list[BudgetAccount] = []
        # Counts changes, so that a caller sees when its ledger totals are out of date.
        self.changes = 0

    def __iter__(self) -> Iterator[BudgetAccount]:
        # Copies: sessions are opened in another thread.
        return iter((*self._by_token.values(), *self._closing))

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
        account = next((a for a in self._by_token.values() if a.session == session), None)
        if account is None:
            return None
        self._closing = [*(each for each in self._closing if each.reservations), account]
        return self._by_token.pop(account.token)

    def reserve(self, account: BudgetAccount, reservation: Reservation) -> None:
        self.changes += 1
        account.reservations.add(reservation)

    def settle(self, account: BudgetAccount, reservation: Reservation, cost_usd: float) -> None:
        """Replace a reservation by what the request has cost."""
        self.changes += 1
        account.reservations.discard(reservation)
        account.spent_usd += cost_usd

    def budget_states(
        self, account: BudgetAccount, totals: LedgerTotals
    ) -> tuple[BudgetState, ...]:
        """Each budget of the session."""
        all_open = [each for other in self for each in other.reservations]
        run_open = [
            each for other in self if other.run == account.run for each in other.reservations
        ]
        budget, midnight = account.budget, totals.midnight
        today_open = [each for each in all_open if midnight is None or each.at >= midnight]
        elsewhere_usd = max(0.0, totals.elsewhere_usd - (_sum(all_open) - _sum(run_open)))
        return (
            _budget_state(
                "session", budget.session_usd, account.spent_usd, list(account.reservations)
            ),
            _budget_state("run", budget.run_usd, totals.run_usd - _sum(run_open), run_open),
            replace(
                _budget_state(
                    "day",
                    budget.day_usd if midnight is None else budget.next_day_usd,
                    totals.day_usd - _sum(today_open) - elsewhere_usd,
                    all_open,
                ),
                elsewhere_usd=elsewhere_usd,
            ),
        )


def current_task() -> asyncio.Task[None]:
    """The task that handles a request."""
    task = asyncio.current_task()
    assert task is not None  # noqa: S101  # a coroutine runs in one
    return task


def _budget_state(
    level: BudgetLevel, budget_usd: float, spent_usd: float, reservations: list[Reservation]
) -> BudgetState:
    unsized = sum(each.unsized for each in reservations)
    return BudgetState(level, budget_usd, spent_usd, _sum(reservations), len(reservations), unsized)


def _sum(reservations: list[Reservation]) -> float:
    return sum((each.usd for each in reservations), 0.0)
