"""Decides whether a request may go to the model, by what is left of each budget. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from treadle.domain.ledger import BudgetLevel
from treadle.domain.usage import Usage
from treadle.session.price_list import PriceList

# For a request that does not say how much it may answer with.
PLAUSIBLE_OUTPUT = 16_000
# No model reads more at once, however many bytes a picture takes.
PLAUSIBLE_PROMPT = 200_000
BYTES_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class RequestSize:
    """What a request says of its own size."""

    model: str
    prompt_tokens: int
    max_output: int


@dataclass(frozen=True, slots=True)
class BudgetState:
    """One budget: what there was, what is spent, and what requests under way may still spend."""

    level: BudgetLevel
    budget_usd: float
    spent_usd: float
    reserved_usd: float
    under_way: int


@dataclass(frozen=True, slots=True)
class Admit:
    """It may go on."""


@dataclass(frozen=True, slots=True)
class Hold:
    """There may not be enough for it and for all that is under way: it waits for one of those."""

    level: BudgetLevel
    budget_usd: float


@dataclass(frozen=True, slots=True)
class Refuse:
    """The money is spent."""

    level: BudgetLevel
    budget_usd: float


Admission: TypeAlias = Admit | Hold | Refuse


def admit(standings: Iterable[BudgetState], reservation_usd: float) -> Admission:
    """Alone, a request may go on while anything is left: a budget ends within one response.

    Beside others it must fit beside what those may spend, or many at once would go far beyond.
    """
    answer: Admission = Admit()
    for each in standings:
        if each.spent_usd >= each.budget_usd:
            return Refuse(each.level, each.budget_usd)
        wanted = each.spent_usd + each.reserved_usd + reservation_usd
        if each.under_way and wanted > each.budget_usd:
            answer = Hold(each.level, each.budget_usd)
    return answer


def measure(request: Mapping[str, Any], size: int) -> RequestSize:
    """What a request for a message of so many bytes wants, as far as it makes sense."""
    model, most = request.get("model"), request.get("max_tokens")
    return RequestSize(
        model=model[:200] if isinstance(model, str) else "",
        prompt_tokens=min(size // BYTES_PER_TOKEN, PLAUSIBLE_PROMPT),
        max_output=most if isinstance(most, int) and most > 0 else PLAUSIBLE_OUTPUT,
    )


def reservation(request: RequestSize, prices: PriceList) -> float:
    """The most that a request may cost, in US dollars: beside others, it must not surprise."""
    usage = Usage(request.prompt_tokens, request.max_output)
    return prices.estimate(usage, request.model).cost_usd
