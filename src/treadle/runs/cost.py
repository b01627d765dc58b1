"""What was spent, for `treadle cost`. Thin: loads no events."""

from dataclasses import dataclass
from datetime import datetime

from treadle.adapters.stores.cost_lines import cost_lines, sum_lines
from treadle.domain.ledger import CostGroup, CostLine
from treadle.domain.storage import Storage
from treadle.session.claude.prices import AS_OF, SOURCE


@dataclass(frozen=True, slots=True)
class CostReport:
    """Lines and their sum, and where the prices come from that no setting gives."""

    by: CostGroup
    since: datetime | None
    prices_as_of: str
    prices_source: str
    lines: list[CostLine]
    total: CostLine


def report_cost(
    storage: Storage, by: CostGroup, *, since: datetime | None, rehearsal: bool
) -> CostReport:
    """The ledger summed up; rehearsals apart, since nobody pays for them."""
    lines = cost_lines(storage, by, since=since, rehearsal=rehearsal)
    return CostReport(by, since, AS_OF, SOURCE, lines, sum_lines(lines))
