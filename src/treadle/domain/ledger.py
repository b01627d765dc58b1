"""The ledger: what every model response used and cost, and the bills made from it. Types only."""

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
    """What is left to spend when a session begins; the levels nest, and each of them holds."""

    session_usd: float
    run_usd: float = inf
    day_usd: float = inf


@dataclass(frozen=True, slots=True)
class WindowShare:
    """How full a usage window of a subscription was after a response: 0 is empty, 1 is spent."""

    window: str
    share: float
    resets_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One request that the model answered, also in part."""

    id: str
    run: RunId
    session: SessionId
    at: datetime
    model: str
    usage: Usage
    cost_usd: float
    # False when the model has no known price and the dearest known one was used instead.
    priced: bool = True
    # True while the response is under way, and for good when it was cut short: the output is then
    # our own count of what had come.
    estimated: bool = False
    # Nobody bills the cost of a subscription's request: it counts against limits, and no more.
    subscription: bool = False
    rehearsal: bool = False
    # The sub-agent that asked; empty for the session's own agent.
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


@dataclass(frozen=True, slots=True)
class CostSoFar:
    """Costs so far, of one run and of everything."""

    run_usd: float = 0.0
    all_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class WindowUse:
    """The part of a subscription's window that was used up in a group, and how full it is now."""

    window: str
    used: float
    share: float


@dataclass(frozen=True, slots=True)
class CostLine:
    """What one group of requests used. The cost is that of the requests somebody bills."""

    label: str
    requests: int
    usage: Usage
    cost_usd: float
    # The part of the cost that is counted at the dearest known price.
    unpriced_usd: float = 0.0
    estimated_requests: int = 0
    subscription_requests: int = 0
    windows: tuple[WindowUse, ...] = ()


class Ledger(Protocol):
    """Every response once, by the id of its entry; what it says of a session is the truth."""

    def put(self, entry: LedgerEntry) -> None:
        """Store the entry durably, in the place of an earlier one with the same id."""
        ...

    def spent(self, run: RunId, *, since: datetime, rehearsal: bool) -> CostSoFar:
        """The cost of entries from `since` on. Rehearsals and real runs do not see each other."""
        ...

    def bill(self, session: SessionId) -> Bill:
        """All that the session has used, whichever process saw it."""
        ...
