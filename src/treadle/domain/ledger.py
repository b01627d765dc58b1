"""The ledger: usage and cost of every model response, and the bills made from it. Types only."""

from dataclasses import dataclass, field
from datetime import datetime
from math import inf
from typing import Literal, Protocol

from treadle.domain.ids import RunId, SessionId
from treadle.domain.usage import Usage

BudgetLevel = Literal["session", "run", "day"]
CostGroup = Literal["day", "run", "model", "project"]


@dataclass(frozen=True, slots=True)
class Budget:
    """What is left to spend when a session starts; all three levels apply."""

    session_usd: float
    run_usd: float = inf
    day_usd: float = inf
    # What a whole day may cost: it takes the place of `day_usd` at the next midnight.
    next_day_usd: float = inf


@dataclass(frozen=True, slots=True)
class WindowShare:
    """The used share of a subscription's quota window after a response, from 0 to 1."""

    window: str
    share: float
    resets_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One request that went to the model."""

    id: str
    run: RunId
    session: SessionId
    at: datetime
    model: str
    usage: Usage
    cost_usd: float
    # False if the model has no known price, and the highest one was used.
    priced: bool = True
    # True until its usage is known: the cost is the most that it may have been.
    estimated: bool = False
    # A subscription's request is not billed; its cost counts for limits only.
    subscription: bool = False
    rehearsal: bool = False
    # The subagent that sent it; empty for the session's main agent.
    agent: str = ""
    windows: tuple[WindowShare, ...] = ()


@dataclass(frozen=True, slots=True)
class Bill:
    """The sum of a session's entries."""

    requests: int = 0
    cost_usd: float = 0.0
    usage: Usage = field(default_factory=Usage)
    priced: bool = True
    estimated: bool = False
    subscription: bool = False
    # What a person should know of the session's requests, and was not told before.
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CostSoFar:
    """The costs of one run, and of all runs."""

    run_usd: float = 0.0
    all_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class WindowUse:
    """The share of a subscription's window that a group used, and the total used share."""

    window: str
    used: float
    share: float


@dataclass(frozen=True, slots=True)
class CostLine:
    """The usage of one group of requests, and the cost of those that are billed."""

    label: str
    requests: int
    usage: Usage
    cost_usd: float
    # The part of the cost that was estimated with the highest known price.
    unpriced_usd: float = 0.0
    estimated_requests: int = 0
    subscription_requests: int = 0
    windows: tuple[WindowUse, ...] = ()


class Ledger(Protocol):
    """Holds every response once, by the id of its entry."""

    def put(self, entry: LedgerEntry) -> None:
        """Store the entry durably; it replaces an earlier one with the same id."""
        ...

    def remove(self, entry_id: str) -> None:
        """Remove an entry, of a request that no model has answered; nothing if it is not there."""
        ...

    def estimated_of_others(self, run: RunId, *, since: datetime, rehearsal: bool) -> float:
        """The cost of the estimated entries of all other runs from `since` on."""
        ...

    def spent(self, run: RunId, *, since: datetime, rehearsal: bool) -> CostSoFar:
        """The cost of entries from `since` on, either of rehearsals or of real runs."""
        ...

    def bill(self, session: SessionId) -> Bill:
        """All that the session has used, over all processes."""
        ...


class ClosableLedger(Ledger, Protocol):
    """A ledger that its user opened and closes."""

    def close(self) -> None:
        """Release what it holds."""
        ...
