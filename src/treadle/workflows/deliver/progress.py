"""How far a `deliver` run has come: what is known between two rounds, and what a session adds."""

from dataclasses import dataclass, field, replace
from typing import assert_never

from treadle.domain.deliverable import Tally
from treadle.domain.session import (
    BudgetExceeded,
    Cancelled,
    Completed,
    Crashed,
    ExecutionError,
    MaxTurns,
    Outcome,
    QuotaExceeded,
    SandboxError,
    SessionResult,
    TimedOut,
    UnguardedTool,
)
from treadle.domain.usage import Usage
from treadle.workflows.deliver.look import Stopping
from treadle.workflows.deliver.stuck import RoundFacts


@dataclass(frozen=True, slots=True)
class Progress:
    """What is known of a run between two rounds."""

    tally: Tally = field(default_factory=Tally)
    rounds: int = 0
    consecutive_errors: int = 0
    cost_usd: float = 0.0
    usage: Usage = field(default_factory=Usage)
    running_s: float = 0.0
    priced: bool = True
    # Somebody asked the run to end before its time.
    stopping: Stopping = ""
    last: Outcome | None = None
    # The specification is another than the one the deliverables were written for.
    plan_outdated: bool = False
    # What all other runs have cost since midnight.
    others_today_usd: float = 0.0
    # Pauses for quota since a session last got through.
    waits: int = 0
    # How things stood before the first round, then after each; none while it is not known.
    history: tuple[RoundFacts, ...] = ()


def after_session(progress: Progress, result: SessionResult) -> Progress:
    """The progress with one session added. A quota limit is neither a round nor an error."""
    paid = replace(
        progress,
        cost_usd=progress.cost_usd + result.cost_usd,
        usage=progress.usage + result.usage,
        running_s=progress.running_s + result.duration_s,
        priced=progress.priced and result.priced,
        last=result.outcome,
    )
    if isinstance(result.outcome, QuotaExceeded):
        return paid
    paid = replace(paid, waits=0)
    if isinstance(result.outcome, Cancelled):
        return replace(paid, rounds=progress.rounds + 1)
    failed = failure(result.outcome) is not None
    return replace(
        paid,
        rounds=progress.rounds + 1,
        consecutive_errors=progress.consecutive_errors + 1 if failed else 0,
    )


def failure(outcome: Outcome | None) -> str | None:
    """What went wrong, for outcomes that count towards the retries; None for the others."""
    match outcome:
        case None | Completed() | MaxTurns() | BudgetExceeded() | QuotaExceeded() | Cancelled():
            return None
        case ExecutionError() | Crashed() | SandboxError():
            return outcome.message
        case UnguardedTool():
            return f"the agent used {outcome.tool} without being allowed"
        case TimedOut():
            return f"the session was ended by its {outcome.limit} limit after {outcome.after_s:g} s"
        case _:
            assert_never(outcome)
