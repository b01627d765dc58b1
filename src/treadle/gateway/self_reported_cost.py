"""An agent whose own figures are its bill: for logins that no gateway can meter."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from treadle.domain.agent import AgentEnded, AgentEvent, LeftoverProcess, ResponseUsed, SessionBrief
from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Ledger, LedgerEntry
from treadle.domain.ports import AgentSession, KillableAgent
from treadle.domain.usage import Usage
from treadle.session.price_list import PriceList


@dataclass(frozen=True, slots=True)
class CostBook:
    """Where a run's responses are written down, and at which prices."""

    ledger: Ledger
    run: RunId
    prices: PriceList
    rehearsal: bool


class SelfReportingAgent:
    """The `Agent` port: an agent whose responses are in the ledger before anybody else is told of
    them, so that the day's limit holds for other runs, too."""

    def __init__(self, agent: KillableAgent, book: CostBook) -> None:
        self._agent = agent
        self._book = book

    async def open(self, brief: SessionBrief) -> AgentSession:
        page = _SessionCost(self._book, brief.session, brief.model)
        return _SelfReportingSession(await self._agent.open(brief), page)

    def can_resume(self, session: SessionId, home: Path) -> bool:
        return self._agent.can_resume(session, home)

    def kill(self) -> None:
        self._agent.kill()

    async def gone(self) -> None:
        await self._agent.gone()


class _SessionCost:
    """What one opening of a session has used so far."""

    def __init__(self, book: CostBook, session: SessionId, model: str) -> None:
        self._book = book
        self._session = session
        self._model = model
        self._total_usd = 0.0

    def note(self, event: AgentEvent) -> None:
        if isinstance(event, ResponseUsed):
            self._model = event.model
            cost = self._book.prices.estimate(event.usage, event.model)
            self._put(event.usage, cost.cost_usd, priced=cost.priced)
        elif isinstance(event, AgentEnded):
            # Of both figures the dearer one counts, as it does for the session itself.
            missing_usd = (event.cost_usd or 0.0) - self._total_usd
            if missing_usd > 0:
                self._put(Usage(), missing_usd, priced=True)

    def _put(self, usage: Usage, cost_usd: float, *, priced: bool) -> None:
        self._total_usd += cost_usd
        self._book.ledger.put(
            LedgerEntry(
                id=uuid4().hex,
                run=self._book.run,
                session=self._session,
                at=datetime.now(UTC),
                model=self._model,
                usage=usage,
                cost_usd=cost_usd,
                priced=priced,
                rehearsal=self._book.rehearsal,
            )
        )


class _SelfReportingSession:
    def __init__(self, session: AgentSession, page: _SessionCost) -> None:
        self._session = session
        self._page = page

    def events(self) -> AsyncIterator[AgentEvent]:
        return _CountedEvents(self._session.events(), self._page)

    async def close(self) -> Sequence[LeftoverProcess]:
        return await self._session.close()


class _CountedEvents:
    """No generator: one that is left half read would keep the agent's own from being read on."""

    def __init__(self, events: AsyncIterator[AgentEvent], page: _SessionCost) -> None:
        self._events = events
        self._page = page

    def __aiter__(self) -> AsyncIterator[AgentEvent]:
        return self

    async def __anext__(self) -> AgentEvent:
        event = await anext(self._events)
        self._page.note(event)
        return event
