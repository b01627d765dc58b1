"""Whether a run makes progress, from the facts of its rounds. Pure.

Two things are told apart. A *gain* brings the work further by its own measure: a tally or a set of
criteria that there was not before. *Progress* is a gain or new content: a tree that there was not
before, so that work which only goes back and forth between old states is none. A round that the
service, the quota or a person kept from working counts for nothing here.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from treadle.domain.deliverable import Deliverable, Tally
from treadle.domain.limits import RunLimits
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

# A session that is over so soon has done nothing but start.
EMPTY_S = 5.0
# New content alone is progress for this many times the rounds that nothing at all may take.
PATIENCE = 4

# kept_out: it never had the chance to work.
Ended: TypeAlias = Literal["worked", "failed", "hung", "kept_out"]

# Counts, ids, times: whatever has a digit in it.
_CHANGING = re.compile(r"\b\w*\d[\w:.-]*")
_LONGEST = 120


@dataclass(frozen=True, slots=True)
class RoundFacts:
    """What is known of the work after a round. Number 0 is how things stood before the first."""

    number: int
    # The tree of the commit that the round ended at.
    tree: str
    tally: Tally
    # One hash over ids and criteria of all deliverables.
    criteria: str
    # Commits of earlier rounds that are gone, and most of what they brought with them.
    undone: int = 0
    # How it failed, so that the same failure has the same text; empty when it did not.
    failing: str = ""
    session_s: float = 0.0
    ended: Ended = "worked"


def facts_of(
    result: SessionResult, *, number: int, tree: str, undone: int, tally: Tally, criteria: str
) -> RoundFacts:
    """The facts of a round whose session ended so and whose work is home."""
    return RoundFacts(
        number=number,
        tree=tree,
        tally=tally,
        criteria=criteria,
        undone=undone,
        failing=failing_as(result.outcome),
        session_s=result.duration_s,
        ended=ended_as(result.outcome),
    )


def criteria_of(deliverables: Sequence[Deliverable]) -> str:
    """One hash for what is to be done, whatever of it is done already."""
    wanted = sorted((each.id, *each.acceptance_criteria, *_commands(each)) for each in deliverables)
    return hashlib.sha256(repr(wanted).encode()).hexdigest()[:16]


def _commands(deliverable: Deliverable) -> Sequence[str]:
    return sorted(f"{check.criterion}: {check.command}" for check in deliverable.checks)


def ended_as(outcome: Outcome) -> Ended:
    """What a session's end says about the chance it had to work."""
    match outcome:
        case Completed() | MaxTurns() | BudgetExceeded():
            return "worked"
        case ExecutionError(of_service=True) | QuotaExceeded() | Cancelled():
            return "kept_out"
        case TimedOut(limit=limit):
            return "failed" if limit == "wall" else "hung"
        case ExecutionError() | Crashed() | SandboxError() | UnguardedTool():
            return "failed"
        case _:
            assert_never(outcome)


def failing_as(outcome: Outcome) -> str:
    """The same text for the same failure, whatever numbers are in its words; empty for none."""
    if ended_as(outcome) != "failed":
        return ""
    match outcome:
        case ExecutionError(message=message):
            return _steady(message)
        case Crashed(message=message, exit_code=code):
            return f"{_steady(message)} (exit code {code})"
        case _:
            return "it ran out of time"


def stuck(history: Sequence[RoundFacts], limits: RunLimits) -> str | None:
    """Why the run gets nowhere, in one sentence; None while it does, or may still.

    `history` is in order and begins with how things stood before the first round.
    """
    gained = _last_new([_measure(facts) for facts in history])
    since_gain = _tried(history[gained + 1 :])
    since_progress = _tried(history[_last_new([_state(facts) for facts in history]) + 1 :])
    return (
        _same_failure(since_gain, limits)
        or _empty(since_progress, limits)
        or _undoing(history, gained, limits)
        or _nothing_new(since_progress, limits)
        or _nothing_gained(since_gain, limits)
    )


def hung(history: Sequence[RoundFacts], limits: RunLimits) -> str | None:
    """Why sessions are not begun any more after too many that hung in a row; else None."""
    last = _tried(history[1:])[-limits.stuck_repeats :]
    if len(last) < limits.stuck_repeats or any(facts.ended != "hung" for facts in last):
        return None
    return f"the last {_sessions(len(last))} hung (limits.stuck_repeats = {limits.stuck_repeats})"


def _same_failure(since_gain: Sequence[RoundFacts], limits: RunLimits) -> str | None:
    """A failed session has its retries first, a failing check of the work has not."""
    if not since_gain or not (failing := since_gain[-1].failing):
        return None
    same = [facts for facts in since_gain if facts.failing == failing]
    retries = limits.max_retries + 1 if since_gain[-1].ended == "failed" else 0
    if len(same) < max(limits.stuck_repeats, retries):
        return None
    return (
        f"{len(same)} rounds failed in the same way and nothing passed meanwhile: {failing} "
        f"(limits.stuck_repeats = {limits.stuck_repeats})"
    )


def _empty(since_progress: Sequence[RoundFacts], limits: RunLimits) -> str | None:
    last = since_progress[-limits.stuck_repeats :]
    empty = [facts for facts in last if facts.ended == "worked" and facts.session_s < EMPTY_S]
    if len(empty) < limits.stuck_repeats:
        return None
    return (
        f"the last {_sessions(len(empty))} took less than {EMPTY_S:g} s each and changed nothing "
        f"(limits.stuck_repeats = {limits.stuck_repeats})"
    )


def _undoing(history: Sequence[RoundFacts], gained: int, limits: RunLimits) -> str | None:
    """Commits that vanish, and trees that are back where they had been before."""
    trees = [facts.tree for facts in history]
    undoing = [
        n
        for n in range(gained + 1, len(history))
        if history[n].undone or (trees[n] != trees[n - 1] and trees[n] in trees[: n - 1])
    ]
    if len(undoing) < limits.stuck_repeats:
        return None
    return (
        f"{_rounds(len(undoing))} took back what earlier ones had done and nothing passed "
        f"meanwhile (limits.stuck_repeats = {limits.stuck_repeats})"
    )


def _nothing_new(since_progress: Sequence[RoundFacts], limits: RunLimits) -> str | None:
    worked = [facts for facts in since_progress if facts.ended == "worked"]
    if len(worked) < limits.stuck_rounds:
        return None
    return (
        f"{_rounds(len(worked))} brought nothing new: no change of files, deliverables or criteria "
        f"that there was not before (limits.stuck_rounds = {limits.stuck_rounds})"
    )


def _nothing_gained(since_gain: Sequence[RoundFacts], limits: RunLimits) -> str | None:
    worked = [facts for facts in since_gain if facts.ended == "worked"]
    if len(worked) < limits.stuck_rounds * PATIENCE:
        return None
    return (
        f"{_rounds(len(worked))} changed files and brought no deliverable further "
        f"({PATIENCE} times limits.stuck_rounds = {limits.stuck_rounds})"
    )


def _tried(rounds: Sequence[RoundFacts]) -> Sequence[RoundFacts]:
    return [facts for facts in rounds if facts.ended != "kept_out"]


def _measure(facts: RoundFacts) -> object:
    return facts.tally, facts.criteria


def _state(facts: RoundFacts) -> object:
    return facts.tree, facts.tally, facts.criteria


def _last_new(states: Sequence[object]) -> int:
    """Where the last state stands that no earlier one equals; the first always is one."""
    return max((n for n, state in enumerate(states) if state not in states[:n]), default=0)


def _steady(message: str) -> str:
    return _CHANGING.sub("#", " ".join(message.split()))[:_LONGEST]


def _sessions(count: int) -> str:
    return "session" if count == 1 else f"{count} sessions"


def _rounds(count: int) -> str:
    return "1 round" if count == 1 else f"{count} rounds"
