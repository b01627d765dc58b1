"""Computes what a session costs: estimated while it runs, by the ledger at its end."""

from dataclasses import dataclass, field

from treadle.domain.agent import AgentEnded, ResponseUsed
from treadle.domain.events.agent import UsageReported
from treadle.domain.ledger import Bill
from treadle.domain.usage import Usage
from treadle.session.price_list import PriceList

# A difference above both of these is reported.
DIFFERENCE_USD = 0.01
DIFFERENCE_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class PriorSpending:
    """What a resumed session used before it was interrupted; it counts as the session's cost."""

    cost_usd: float = 0.0
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class SessionCharge:
    """The cost of a session; `agent_cost_usd` is the agent's own figure if it differs."""

    cost_usd: float
    usage: Usage
    priced: bool
    agent_cost_usd: float | None = None


class CostMeter:
    """Adds up the usage that the agent reports."""

    def __init__(self, prices: PriceList) -> None:
        self._prices = prices
        self.usage = Usage()
        self.estimate_usd = 0.0
        self.responses = 0
        self.priced = True

    def add(self, response: ResponseUsed) -> UsageReported:
        priced = self._prices.estimate(response.usage, response.model)
        self.usage += response.usage
        self.estimate_usd += priced.cost_usd
        self.responses += 1
        self.priced = self.priced and priced.priced
        return UsageReported(response.model, response.usage, round(priced.cost_usd, 6))

    def charge(
        self, end: AgentEnded, bill: Bill | None, *, cost_before_usd: float, usage_before: Usage
    ) -> SessionCharge:
        """The ledger's bill; without one, the higher of our estimate and the agent's figure.

        The ledger includes what a resumed session used before; the agent's figure does not. A bill
        without requests is ignored: the agent did not use the gateway.
        """
        reported = None if end.cost_usd is None else cost_before_usd + end.cost_usd
        if bill is None or not bill.requests:
            return SessionCharge(
                # The agent counts an interrupted response as free.
                cost_usd=round(cost_before_usd + max(self.estimate_usd, end.cost_usd or 0.0), 6),
                usage=usage_before + (end.usage or self.usage),
                priced=self.priced,
                agent_cost_usd=None if bill is None else _agent_cost_if_different(0.0, reported),
            )
        return SessionCharge(
            cost_usd=round(bill.cost_usd, 6),
            usage=bill.usage,
            priced=bill.priced,
            agent_cost_usd=_agent_cost_if_different(bill.cost_usd, reported),
        )


def _agent_cost_if_different(ledger_usd: float, agent_usd: float | None) -> float | None:
    if agent_usd is None:
        return None
    difference = abs(ledger_usd - agent_usd)
    allowed = max(DIFFERENCE_USD, DIFFERENCE_SHARE * max(ledger_usd, agent_usd))
    return round(agent_usd, 6) if difference > allowed else None
