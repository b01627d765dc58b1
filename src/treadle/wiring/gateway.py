"""Puts the model gateway between a run's agent and its model, and asks it for the bills."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import Any, Generic

from treadle.adapters.stores.database import Database, open_database
from treadle.adapters.stores.ledger import DatabaseLedger
from treadle.domain.agent import SessionBrief
from treadle.domain.agent_kind import A, AgentKind, ModelAccess
from treadle.domain.errors import SettingsError, StoreError
from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Bill, Budget, CostSoFar, Ledger
from treadle.domain.model_access import (
    PASS_THROUGH_LOGIN,
    CloudModel,
    Endpoint,
    Login,
    ModelService,
)
from treadle.domain.ports import AgentSession, KillableAgent
from treadle.domain.price import Price, PriceTable
from treadle.domain.storage import Storage
from treadle.gateway.model_gateway import Gateway
from treadle.gateway.proxy_variables import proxy_for
from treadle.gateway.request_rules import SERVER_TOOLS
from treadle.policy.permission_rules import parse_rule
from treadle.session.driver import no_bill
from treadle.session.price_list import PriceList
from treadle.settings.definitions import Settings
from treadle.settings.environment import Environment, agent_environment
from treadle.wiring.self_reported_cost import CostBook, SelfReportingAgent

# Longer than the usual delay before the next session.
LINGER_S = 10.0
_EVER = datetime(1970, 1, 1, tzinfo=UTC)


def price_list(vendor: PriceTable, given: Mapping[str, Mapping[str, float]]) -> PriceList:
    """The prices in force; of one that a user sets, the parts left out follow from the input's."""
    own = {name.strip().lower(): _price(table) for name, table in given.items()}
    return PriceList(vendor, own)


def served_tools(settings: Settings) -> frozenset[str]:
    """The kinds of tools that the model's service may run itself, because the user allows them."""
    rules = (parse_rule(text) for text in settings.permissions.allow)
    named = {*settings.allowed_tools, *(rule.tool for rule in rules if rule is not None)}
    return frozenset(kind for name, kind in SERVER_TOOLS.items() if name in named)


def service_behind(
    model: ModelAccess[Any], variables: Mapping[str, str], rehearsal_url: str | None
) -> ModelService | CloudModel:
    """The service that an agent with these variables would ask, and the proxy on the way there."""
    if rehearsal_url is not None:
        return ModelService(rehearsal_url)
    service = model.service(variables)
    if isinstance(service, CloudModel):
        return service
    return replace(service, proxy=proxy_for(service.base_url, variables))


def others_today_usd(database: Database, run: RunId, now: datetime, *, rehearsal: bool) -> float:
    """What all other runs have cost since midnight, by the clock on this machine's wall."""
    today = _today(DatabaseLedger(database), run, now, rehearsal=rehearsal)
    return max(0.0, today.all_usd - today.run_usd)


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
    # How long the gateway stays when no session is left.
    linger_s: float = LINGER_S


class Metering:
    """The gateway of one run; it is there while sessions are, so that a waiting run holds none.
    From one session to the next it stays, with its line to the model."""

    def __init__(
        self,
        service: ModelService,
        storage: Storage,
        terms: MeterRules,
        login: Login = PASS_THROUGH_LOGIN,
    ) -> None:
        self._service = service
        self._login = login
        self._storage = storage
        self._terms = terms
        self._sessions: set[SessionId] = set()
        self._open: tuple[Gateway, DatabaseLedger] | None = None
        self._closing: asyncio.TimerHandle | None = None
        self._failure: StoreError | None = None

    def endpoint(
        self, session: SessionId, budget_usd: float, *, counted_usd: float | None = None
    ) -> Endpoint:
        """Where this session finds its model.

        `counted_usd`: what is taken off the budget already of a session that was cut off. What
        the ledger has beyond that comes off as well.
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
        ledger: DatabaseLedger,
        session: SessionId,
        budget_usd: float,
        counted_usd: float | None,
    ) -> Budget:
        terms = self._terms
        today = _today(ledger, terms.run, datetime.now(UTC), rehearsal=terms.rehearsal)
        ever = ledger.spent(terms.run, since=_EVER, rehearsal=terms.rehearsal)
        if counted_usd is not None:
            budget_usd -= max(0.0, ledger.bill(session).cost_usd - counted_usd)
        return Budget(
            max(0.0, budget_usd),
            run_usd=max(0.0, terms.max_cost_usd - ever.run_usd),
            day_usd=max(0.0, terms.day_cost_usd - today.all_usd),
        )

    async def bill(self, session: SessionId) -> Bill | None:
        """What the session has used, once it is over; None if it was never begun here."""
        if self._open is None or session not in self._sessions:
            return None
        try:
            return await self._open[0].close(session)
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

    def _opened(self) -> tuple[Gateway, DatabaseLedger]:
        self._stay()
        self._raise_failure()
        if self._open is None:
            terms = self._terms
            ledger = DatabaseLedger(open_database(self._storage))
            gateway = Gateway(
                self._service,
                ledger,
                login=self._login,
                prices=terms.prices,
                rehearsal=terms.rehearsal,
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
        counted = brief.cost_before_usd if brief.resume else None
        endpoint = self._metering.endpoint(brief.session, brief.max_cost_usd, counted_usd=counted)
        return await self._reach(self._agent, endpoint).open(brief)

    def can_resume(self, session: SessionId, home: Path) -> bool:
        return self._agent.can_resume(session, home)

    def kill(self) -> None:
        self._agent.kill()

    async def gone(self) -> None:
        await self._agent.gone()


@dataclass(frozen=True, slots=True)
class Metered:
    """What a run is driven with so that its sessions are metered, as far as they can be."""

    agent: KillableAgent
    bill: Callable[[SessionId], Awaitable[Bill | None]]
    prices: PriceList
    warnings: list[str]


@contextmanager
def metered(
    agent: A,
    kind: AgentKind[A],
    environment: Environment,
    settings: Settings,
    *,
    run: RunId,
    rehearsal_url: str | None,
) -> Iterator[Metered]:
    """The agent behind a gateway for as long as the block lasts; booked where none can stand."""
    prices = price_list(kind.prices, settings.prices)
    rehearsal = rehearsal_url is not None
    variables = agent_environment(environment.raw, kind.variables.passed)
    model = kind.model
    service = None if model is None else service_behind(model, variables, rehearsal_url)
    if model is None or not isinstance(service, ModelService):
        with closing(DatabaseLedger(open_database(environment.storage))) as ledger:
            booked = SelfReportingAgent(agent, CostBook(ledger, run, prices, rehearsal))
            yield Metered(booked, no_bill, prices, [_why_unmetered(service)])
        return
    limits = settings.limits
    terms = MeterRules(
        run, limits.day_cost_usd, prices, rehearsal, limits.max_cost_usd, served_tools(settings)
    )
    metering = Metering(service, environment.storage, terms, model.login(agent))
    try:
        yield Metered(MeteredAgent(agent, metering, model.reach), metering.bill, prices, [])
    finally:
        metering.close()


def _why_unmetered(service: ModelService | CloudModel | None) -> str:
    if isinstance(service, CloudModel):
        return f"the model is on {service.cloud}: cost is metered by what the agent tells of it"
    return "no gateway knows this agent: cost is what the agent tells of it"


def _today(ledger: Ledger, run: RunId, now: datetime, *, rehearsal: bool) -> CostSoFar:
    midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    return ledger.spent(run, since=midnight, rehearsal=rehearsal)


def _price(table: Mapping[str, float]) -> Price:
    """As the vendors' lists have it: a cache write costs a quarter more, a read a tenth."""
    input_ = table["input"]
    return Price(
        input=input_,
        output=table["output"],
        cache_write=table.get("cache_write", input_ * 1.25),
        cache_read=table.get("cache_read", input_ * 0.1),
        cache_write_1h=table.get("cache_write_1h", input_ * 2),
    )
