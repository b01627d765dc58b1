"""The message that refuses a request over budget: the gateway writes it, a session parses it."""

import re
from typing import assert_never

from treadle.domain.ledger import BudgetLevel
from treadle.domain.session import BudgetExceeded, Outcome

_REFUSED = re.compile(r"Treadle: the (?:session|run|day) had \$([\d.]{1,20}) left to spend")
# An agent puts a short text of its own in front.
_SEARCHED_CHARACTERS = 600


def budget_refusal_message(level: BudgetLevel, left_usd: float) -> str:
    """The message for the agent and for people: which budget is spent, and how much it was."""
    left = f"the {level} had ${left_usd:.4f} left to spend when this began"
    return f"Treadle: {left}; {_spent_budget(level)}"


def parse_budget_refusal(message: str) -> Outcome | None:
    """The outcome of a session whose request we refused, or None for any other message."""
    match = _REFUSED.search(message[:_SEARCHED_CHARACTERS])
    if match is None:
        return None
    try:
        return BudgetExceeded(float(match[1]))
    except ValueError:  # not a number, so not our message
        return None


def _spent_budget(level: BudgetLevel) -> str:
    match level:
        case "session":
            return "its budget is spent."
        case "run":
            return "the run's budget is spent."
        case "day":
            return "the budget of the day is spent."
        case _:
            assert_never(level)
