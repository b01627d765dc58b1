"""Computes what a session costs: estimated while it runs, by the ledger at its end."""

from dataclasses import dataclass

from treadle.domain.agent import AgentEnded, ResponseUsed
from treadle.domain.events.agent import UsageReported
from treadle.domain.ledger import Bill
from treadle.domain.usage import Usage
from treadle.session.price_list import VENDOR_PRICES, PriceList

# Figures that are further apart than both of these are worth a word.
DIFFERENCE_USD = 0.01
DIFFERENCE_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class SessionCharge:
    """What a session counts as; the agent's own figure beside it when the two differ."""

    cost_usd: float
    usage: Usage
    priced: bool
    agent_cost_usd: float | None = None


class CostMeter:
    """Adds up the responses that the agent tells of."""

    def __init__(self, prices: PriceList = VENDOR_PRICES) -> None:
        self._prices = prices
        self.usage = Usage()
        self.estimate_usd = 0.0
        self.responses = 0
        self.priced = True

    def add(self, used: ResponseUsed) -> UsageReported:
        priced = self._prices.estimate(used.usage, used.model)
        self.usage += used.usage
        self.estimate_usd += priced.cost_usd
        self.responses += 1
        self.priced = self.priced and priced.priced
        return UsageReported(used.model, used.usage, round(priced.cost_usd, 6))

    def charge(
        self, end: AgentEnded, bill: Bill | None, *, cost_before_usd: float, usage_before: Usage
    ) -> SessionCharge:
        """The ledger's word; without one, ours or the agent's own figure, whichever is dearer.

        What came before the session was cut off is in the ledger, but not in the agent's words. A
        ledger that saw nothing says nothing: then somebody went around it.
        """
        reported = None if end.cost_usd is None else cost_before_usd + end.cost_usd
        if bill is None or not bill.requests:
            return SessionCharge(
                # The agent books a response that was cut short at nought.
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
    apart = abs(ledger_usd - agent_usd)
    allowed = max(DIFFERENCE_USD, DIFFERENCE_SHARE * max(ledger_usd, agent_usd))
    return round(agent_usd, 6) if apart > allowed else None
