"""Puts the model gateway between a run's agent and its model, and asks it for the bills."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.ledger import DatabaseLedger
from treadle.domain.agent_kind import A, AgentKind, ModelAccess
from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Bill
from treadle.domain.model_access import CloudModel, ModelService
from treadle.domain.ports import KillableAgent
from treadle.domain.price import Price, PriceTable
from treadle.gateway.metered_agent import MeteredAgent, Metering, MeterRules
from treadle.gateway.proxy_variables import proxy_for
from treadle.gateway.request_rules import SERVER_TOOLS
from treadle.gateway.self_reported_cost import CostBook, SelfReportingAgent
from treadle.policy.permission_rules import parse_rule
from treadle.session.driver import no_bill
from treadle.session.price_list import PriceList
from treadle.settings.definitions import Settings
from treadle.settings.environment import Environment, agent_environment


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
        run,
        limits.day_cost_usd,
        prices,
        rehearsal,
        limits.max_cost_usd,
        served_tools(settings),
        frozenset(settings.gateway.allow),
    )
    metering = Metering(
        service,
        lambda: DatabaseLedger(open_database(environment.storage)),
        terms,
        model.login(agent),
    )
    try:
        yield Metered(MeteredAgent(agent, metering, model.reach), metering.bill, prices, [])
    finally:
        metering.close()


def _why_unmetered(service: ModelService | CloudModel | None) -> str:
    if isinstance(service, CloudModel):
        return f"the model is on {service.cloud}: cost is what the agent reports"
    return "no gateway supports this agent: the cost is what the agent reports"


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
