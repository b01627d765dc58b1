"""Costs in words: counts, amounts, shares of a subscription, and notes. Loads no events."""

from pathlib import PurePath

from treadle.domain.ids import RunId, short_id
from treadle.domain.ledger import CostGroup, CostLine
from treadle.views.figures import money

# Marks a cost that includes models without a known price.
UNPRICED = "*"


def short_count(number: int) -> str:
    """Four figures at most, so that a line fits on a terminal; --json has all of them."""
    for size, name in ((1_000_000, "M"), (1_000, "k")):
        if number >= 10 * size:
            return f"{number / size:,.0f}{name}"
        if number >= size:
            return f"{number / size:.1f}{name}"
    return str(number)


def cost_text(line: CostLine) -> str:
    """The amount; `-` where a subscription paid for everything."""
    if line.requests == line.subscription_requests:
        return "-"
    return money(line.cost_usd) + (UNPRICED if line.unpriced_usd else "")


def window_shares_text(line: CostLine) -> str:
    """How much of a subscription's usage windows was filled."""
    if not line.subscription_requests:
        return "-"
    return ", ".join(f"{each.window} +{each.used:.0%}" for each in line.windows) or "not told"


def group_label(by: CostGroup, label: str) -> str:
    """The name of a group as people read it: a short run id, the last part of a path."""
    if by == "run":
        return short_id(RunId(label))
    if by == "project":
        return PurePath(label).name or "unknown"
    return label or "unknown"


def cost_notes(total: CostLine) -> list[str]:
    """What the figures cannot say; none when there is nothing to add."""
    notes = []
    if total.unpriced_usd:
        part = f"{UNPRICED} {money(total.unpriced_usd)} of it"
        notes.append(f"{part} is for models without a known price, counted at the highest;")
        notes.append("  give them one in treadle.toml: [prices.MODEL]")
    if total.estimated_requests:
        notes.append(
            f"{total.estimated_requests} answers were cut short: their output is estimated."
        )
    if total.subscription_requests:
        notes.append("Subscriptions are not billed by request. Requests use up usage windows.")
    return notes
