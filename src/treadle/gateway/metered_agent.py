"""Meters the sessions of a run: its gateway, what they may spend, and the agent behind it."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import Generic

from treadle.domain.agent import SessionBrief
from treadle.domain.agent_kind import A
from treadle.domain.errors import SettingsError, StoreError
from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Bill, Budget, ClosableLedger, CostSoFar, Ledger
from treadle.domain.model_access import PASS_THROUGH_LOGIN, Endpoint, Login, ModelService
from treadle.domain.ports import AgentSession
from treadle.gateway.model_gateway import MOST_WARNINGS, Gateway, GatewayRules
from treadle.gateway.request_handler import midnight_before
from treadle.session.price_list import PriceList

# Longer than the usual delay before the next session.
LINGER_S = 10.0
_EVER = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class MeterRules:
    """What a run's gateway has to know of the run."""

    run: RunId
    day_cost_usd: float
    prices: PriceList
    rehearsal: bool
    max_cost_usd: float = inf
    # Kinds of the service's own tools that the sessions may use.
    served: frozenset[str] = frozenset()
    # Names of betas, fields and content that pass beside the known ones.
    allowed: frozenset[str] = frozenset()
    # How long the gateway stays when no session is left.
    linger_s: float = LINGER_S


class Metering:
    """The gateway of one run; it is there while sessions are, so that a waiting run holds none.
    From one session to the next it stays, with its line to the model."""

    def __init__(
        self,
        service: ModelService,
        open_ledger: Callable[[], ClosableLedger],
        terms: MeterRules,
        login: Login = PASS_THROUGH_LOGIN,
    ) -> None:
        self._service = service
        self._login = login
        self._open_ledger = open_ledger
        self._terms = terms
        self._sessions: set[SessionId] = set()
        self._open: tuple[Gateway, ClosableLedger] | None = None
        self._closing: asyncio.TimerHandle | None = None
        self._failure: StoreError | None = None
        # What a person was told already.
        self._warned: set[str] = set()

    def endpoint(
        self, session: SessionId, budget_usd: float, *, counted_usd: float = 0.0
    ) -> Endpoint:
        """Where this session finds its model.

        `counted_usd`: what is taken off the budget already of a session that was cut off. What
        the ledger has of this id beyond that comes off as well, also if the agent has lost the
        conversation and begins it anew.
        """
        gateway, ledger = self._opened()
        try:
            budget = self._budget(ledger, session, budget_usd, counted_usd)
            endpoint = gateway.open(
                session, self._terms.run, budget, server_tools=self._terms.served
            )
            self._sessions.add(session)
        finally:
            self._close_unless_used()
        return endpoint

    def _budget(
        self,
        ledger: Ledger,
        session: SessionId,
        budget_usd: float,
        counted_usd: float,
    ) -> Budget:
        terms = self._terms
        today = _today(ledger, terms.run, datetime.now(UTC), rehearsal=terms.rehearsal)
        ever = ledger.spent(terms.run, since=_EVER, rehearsal=terms.rehearsal)
        uncounted_usd = max(0.0, ledger.bill(session).cost_usd - counted_usd)
        return Budget(
            max(0.0, budget_usd - uncounted_usd),
            run_usd=max(0.0, terms.max_cost_usd - ever.run_usd),
            day_usd=max(0.0, terms.day_cost_usd - today.all_usd),
            next_day_usd=terms.day_cost_usd,
        )

    async def bill(self, session: SessionId) -> Bill | None:
        """What the session has used, once it is over; None if it was never begun here."""
        if self._open is None or session not in self._sessions:
            return None
        try:
            bill = await self._open[0].close(session)
            fresh = tuple(each for each in bill.warnings if each not in self._warned)
            fresh = fresh[: MOST_WARNINGS - len(self._warned)]
            self._warned.update(fresh)
            return replace(bill, warnings=fresh)
        finally:
            self._sessions.discard(session)
            self._close_unless_used()

    def close(self) -> None:
        """Let go of everything; safe to call at any time, and twice."""
        self._stay()
        self._raise_failure()
        opened, self._open = self._open, None
        if opened is not None:
            gateway, ledger = opened
            with closing(ledger):
                gateway.__exit__()

    def _close_unless_used(self) -> None:
        """Soon, so that the next session finds it open."""
        self._stay()
        if not self._sessions:
            loop = asyncio.get_running_loop()
            self._closing = loop.call_later(self._terms.linger_s, self._close_now)

    def _close_now(self) -> None:
        try:
            self.close()
        except StoreError as error:  # nobody hears a timer: whoever comes next is told
            self._failure = error

    def _raise_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _stay(self) -> None:
        closing, self._closing = self._closing, None
        if closing is not None:
            closing.cancel()

    def _opened(self) -> tuple[Gateway, ClosableLedger]:
        self._stay()
        self._raise_failure()
        if self._open is None:
            terms = self._terms
            ledger = self._open_ledger()
            gateway = Gateway(
                self._service,
                ledger,
                login=self._login,
                prices=terms.prices,
                rules=GatewayRules(terms.rehearsal, terms.allowed),
            )
            try:
                self._open = gateway.__enter__(), ledger
            except SettingsError:
                ledger.close()
                raise
        return self._open


class MeteredAgent(Generic[A]):
    """The `Agent` port: an agent whose every session finds its model through the gateway."""

    def __init__(self, agent: A, metering: Metering, reach: Callable[[A, Endpoint], A]) -> None:
        self._agent = agent
        self._metering = metering
        self._reach = reach

    async def open(self, brief: SessionBrief) -> AgentSession:
        endpoint = self._metering.endpoint(
            brief.session, brief.max_cost_usd, counted_usd=brief.cost_before_usd
        )
        return await self._reach(self._agent, endpoint).open(brief)

    def can_resume(self, session: SessionId, home: Path) -> bool:
        return self._agent.can_resume(session, home)

    def kill(self) -> None:
        self._agent.kill()

    async def gone(self) -> None:
        await self._agent.gone()


def others_today_usd(ledger: Ledger, run: RunId, now: datetime, *, rehearsal: bool) -> float:
    """What all other runs have cost since midnight, by the clock on this machine's wall."""
    today = _today(ledger, run, now, rehearsal=rehearsal)
    return max(0.0, today.all_usd - today.run_usd)


def before_today_usd(ledger: Ledger, run: RunId, now: datetime, *, rehearsal: bool) -> float:
    """What the run has cost before the last midnight."""
    ever = ledger.spent(run, since=_EVER, rehearsal=rehearsal)
    return max(0.0, ever.run_usd - _today(ledger, run, now, rehearsal=rehearsal).run_usd)


def _today(ledger: Ledger, run: RunId, now: datetime, *, rehearsal: bool) -> CostSoFar:
    return ledger.spent(run, since=midnight_before(now), rehearsal=rehearsal)
