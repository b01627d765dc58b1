"""What a session has cost so far: our own estimate, response by response."""

from treadle.domain.agent import ResponseUsed
from treadle.domain.events.agent import UsageReported
from treadle.domain.usage import Usage
from treadle.session.prices import estimate


class Meter:
    """Adds up responses. The agent's own figure wins at the end, unless it is too low."""

    def __init__(self) -> None:
        self.usage = Usage()
        self.estimate_usd = 0.0
        self.responses = 0
        self.priced = True

    def add(self, used: ResponseUsed) -> UsageReported:
        priced = estimate(used.usage, used.model)
        self.usage += used.usage
        self.estimate_usd += priced.cost_usd
        self.responses += 1
        self.priced = self.priced and priced.priced
        return UsageReported(used.model, used.usage, round(priced.cost_usd, 6))

    def cost_usd(self, reported: float | None) -> float:
        """The dearer of the two figures: the agent books an aborted response at nought."""
        return round(max(self.estimate_usd, reported or 0.0), 6)
