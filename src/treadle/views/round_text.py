"""What a round is for and what came of it, in words. Pure."""

from typing import Literal, TypeAlias, assert_never

from treadle.domain.events.focus import PlanWritten, ReviewJudged
from treadle.domain.events.run import RoundFailed
from treadle.domain.events.verification import ClaimRefused
from treadle.domain.signal import Role
from treadle.views.figures import pluralize
from treadle.views.style import Style
from treadle.views.verification_text import why_refused

Phase = Literal[
    "starting", "planning", "coding", "reviewing", "working", "checking", "between rounds", "ended"
]

PHASES: dict[Role, Phase] = {
    "initializer": "planning",
    "planner": "planning",
    "implementer": "coding",
    "reviewer": "reviewing",
}

RoundOutcome: TypeAlias = ClaimRefused | PlanWritten | ReviewJudged


def round_outcome_text(event: RoundOutcome) -> tuple[str, Style]:
    """A refused claim, a plan or a review in one line."""
    match event:
        case PlanWritten():
            return f"plan of {pluralize(len(event.text.splitlines()), 'line')}", "plain"
        case ReviewJudged():
            return _review_text(event)
        case ClaimRefused():
            return why_refused(event), "bad"
        case _:
            assert_never(event)


def _review_text(event: ReviewJudged) -> tuple[str, Style]:
    approved = event.verdict == "approved"
    verdict = "review approved" if approved else "review requested changes"
    findings = pluralize(len(event.findings), "finding")
    dropped = f", {len(event.dropped)} dropped" if event.dropped else ""
    first = event.reason.strip().partition("\n")[0].removeprefix("- ")
    reason = f": {first}" if first else ""
    return f"{verdict} ({findings}{dropped}){reason}", "good" if approved else "warning"


def round_failure_text(event: RoundFailed) -> str:
    """Which round failed and why, and whether it is tried again."""
    left = event.max_retries - event.consecutive
    then = f"retry {event.consecutive} of {event.max_retries}" if left >= 0 else "no retry left"
    return f"Round {event.number} failed ({then}): {event.message}"
