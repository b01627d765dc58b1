"""Decides whether a request may go to the model, by what is left of each budget. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from treadle.domain.ledger import BudgetLevel

# Sums of fractions are not exact.
_ROUNDING_USD = 1e-9


@dataclass(frozen=True, slots=True)
class BudgetState:
    """One budget: its amount, what is spent, and what open requests may still spend."""

    level: BudgetLevel
    budget_usd: float
    spent_usd: float
    reserved_usd: float
    open_requests: int
    # Open requests that may cost more than is reserved for them.
    unsized_requests: int = 0
    # What is reserved by other processes; their requests end without a word to us.
    elsewhere_usd: float = 0.0


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


@dataclass(frozen=True, slots=True)
class AskedReservation:
    """What a request may cost; `unsized` if it may be more."""

    usd: float
    unsized: bool = False


def admit(budgets: Iterable[BudgetState], asked: AskedReservation) -> Admission:
    """Admit a single request while anything is left: it overspends by one response at most.

    Beside open requests it must also fit their reservations, and of those without a known size
    there is one at a time, so that concurrent requests overspend by no more than one does.
    """
    answer: Admission = AdmitRequest()
    for each in budgets:
        if each.spent_usd >= each.budget_usd - _ROUNDING_USD:
            return RefuseRequest(each.level, each.budget_usd)
        needed_usd = each.spent_usd + each.reserved_usd + each.elsewhere_usd + asked.usd
        is_alone = not each.open_requests and not each.elsewhere_usd
        is_beyond = not is_alone and needed_usd > each.budget_usd + _ROUNDING_USD
        if is_beyond or (asked.unsized and each.unsized_requests):
            answer = HoldRequest(each.level, each.budget_usd)
    return answer
