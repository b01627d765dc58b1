"""What was spent, for `treadle cost`. Thin: loads no events."""

from dataclasses import dataclass
from datetime import datetime

from treadle.adapters.agents.registry import all_kinds
from treadle.adapters.stores.cost_lines import cost_lines, sum_lines
from treadle.domain.ledger import CostGroup, CostLine
from treadle.domain.storage import Storage


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
    tables = [kind.prices for kind in all_kinds() if kind.prices.source]
    return CostReport(
        by,
        since,
        prices_as_of=", ".join(table.as_of for table in tables),
        prices_source=", ".join(table.source for table in tables),
        lines=lines,
        total=sum_lines(lines),
    )
