"""Decides whether a request may go to the model, by what is left of each budget. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from treadle.domain.ledger import BudgetLevel
from treadle.domain.usage import Usage
from treadle.session.price_list import PriceList

# For a request that does not set `max_tokens`.
PLAUSIBLE_OUTPUT = 16_000
# No model reads more at once; images take many bytes per token.
PLAUSIBLE_PROMPT = 200_000
BYTES_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class RequestSize:
    """The size of a request: an estimate of its prompt, and its output limit."""

    model: str
    prompt_tokens: int
    max_output: int


@dataclass(frozen=True, slots=True)
class BudgetState:
    """One budget: its amount, what is spent, and what open requests may still spend."""

    level: BudgetLevel
    budget_usd: float
    spent_usd: float
    reserved_usd: float
    open_requests: int


@dataclass(frozen=True, slots=True)
class AdmitRequest:
    """The request may be sent."""


@dataclass(frozen=True, slots=True)
class HoldRequest:
    """The budget may not cover the request beside the open ones: it waits for one to finish."""

    level: BudgetLevel
    budget_usd: float


@dataclass(frozen=True, slots=True)
class RefuseRequest:
    """The budget is spent."""

    level: BudgetLevel
    budget_usd: float


Admission: TypeAlias = AdmitRequest | HoldRequest | RefuseRequest


def admit(budgets: Iterable[BudgetState], reservation_usd: float) -> Admission:
    """Admit a single request while anything is left: it overspends by one response at most.

    Beside open requests it must also fit their reservations, so that concurrent requests do not
    overspend far.
    """
    answer: Admission = AdmitRequest()
    for each in budgets:
        if each.spent_usd >= each.budget_usd:
            return RefuseRequest(each.level, each.budget_usd)
        needed_usd = each.spent_usd + each.reserved_usd + reservation_usd
        if each.open_requests and needed_usd > each.budget_usd:
            answer = HoldRequest(each.level, each.budget_usd)
    return answer


def measure(request: Mapping[str, Any], size: int) -> RequestSize:
    """The size of a message request of `size` bytes; values that make no sense are replaced."""
    model, max_tokens = request.get("model"), request.get("max_tokens")
    return RequestSize(
        model=model[:200] if isinstance(model, str) else "",
        prompt_tokens=min(size // BYTES_PER_TOKEN, PLAUSIBLE_PROMPT),
        max_output=max_tokens
        if isinstance(max_tokens, int) and max_tokens > 0
        else PLAUSIBLE_OUTPUT,
    )


def reservation(request: RequestSize, prices: PriceList) -> float:
    """The most that a request may cost, in US dollars."""
    usage = Usage(request.prompt_tokens, request.max_output)
    return prices.estimate(usage, request.model).cost_usd
