"""Decides whether a run makes progress, from the facts of its rounds. Pure.

A *gain* is what a judge says: a deliverable that passed, a check or a test that turned green, and
the first plan. More deliverables are none. *Progress* is a gain, a new tree or one more blocked
deliverable; work that switches between old states is no progress. Rounds that the service, the
quota or a person kept from working do not count.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
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
    was_kept_from_working,
)

# A shorter session has done nothing but start.
EMPTY_SESSION_S = 5.0
# Rounds with new content but no gain may take this many times `limits.stuck_rounds`.
GAIN_FACTOR = 4

# kept_out: the session could not work.
RoundEnd: TypeAlias = Literal["worked", "failed", "hung", "kept_out"]

# Counts, ids and times.
_WITH_DIGITS = re.compile(r"\b\w*\d[\w:.-]*")
_MAX_LENGTH = 120


@dataclass(frozen=True, slots=True)
class RoundFacts:
    """The state of the work after a round; number 0 is the state before the first."""

    number: int
    # The tree of the commit that the round ended at.
    tree: str
    tally: Tally
    # One hash over ids and criteria of all deliverables; only its first change is a gain.
    criteria: str
    # Commits of earlier rounds that are gone with most of their content.
    undone: int = 0
    # The same text for the same failure; empty if it did not fail.
    failing: str = ""
    session_s: float = 0.0
    ended: RoundEnd = "worked"
    # Checks that failed before the work and have been green on it, and tests that fail; None if
    # the tests did not run.
    green_checks: int = 0
    failing_tests: int | None = None
    # The plans, tasks and reviews of a workflow that has phases; each change is a gain.
    phases: str = ""


def facts_of(
    result: SessionResult, *, number: int, tree: str, undone: int, tally: Tally, criteria: str
) -> RoundFacts:
    """The facts of a round with this session result, whose work is imported."""
    return RoundFacts(
        number=number,
        tree=tree,
        tally=tally,
        criteria=criteria,
        undone=undone,
        failing=failure_key(result.outcome),
        session_s=result.duration_s,
        ended=classify_end(result.outcome),
    )


def criteria_of(deliverables: Sequence[Deliverable]) -> str:
    """A hash of all criteria and checks, independent of their status."""
    criteria = sorted(
        (each.id, *each.acceptance_criteria, *_commands(each)) for each in deliverables
    )
    return hashlib.sha256(repr(criteria).encode()).hexdigest()[:16]


def _commands(deliverable: Deliverable) -> Sequence[str]:
    return sorted(f"{check.criterion}: {check.command}" for check in deliverable.checks)


def classify_end(outcome: Outcome) -> RoundEnd:
    """Whether a session worked, failed, hung or could not work."""
    if was_kept_from_working(outcome):
        return "kept_out"
    match outcome:
        case Completed() | MaxTurns() | BudgetExceeded():
            return "worked"
        case QuotaExceeded() | Cancelled():
            return "kept_out"
        case TimedOut(limit=limit):
            return "failed" if limit == "wall" else "hung"
        case ExecutionError() | Crashed() | SandboxError() | UnguardedTool():
            return "failed"
        case _:
            assert_never(outcome)


def failure_key(outcome: Outcome) -> str:
    """The same text for the same failure, whatever numbers its message has; empty for none."""
    if classify_end(outcome) != "failed":
        return ""
    match outcome:
        case ExecutionError(message=message):
            return _without_numbers(message)
        case Crashed(message=message, exit_code=code):
            return f"{_without_numbers(message)} (exit code {code})"
        case _:
            return "it ran out of time"


def stuck(history: Sequence[RoundFacts], limits: RunLimits) -> str | None:
    """Why the run makes no progress, in one sentence; None while it does or still may.

    `history` is in order and starts with the state before the first round.
    """
    gains = _count_gains(history)
    last_gain = _last_new(gains)
    since_gain = _rounds_that_ran(history[last_gain + 1 :])
    since_progress = _rounds_that_ran(history[_last_new(_states(history, gains)) + 1 :])
    return (
        _same_failure(since_gain, limits)
        or _empty_sessions(since_progress, limits)
        or _reverted_work(history, last_gain, limits)
        or _nothing_new(since_progress, limits)
        or _nothing_gained(since_gain, limits)
    )


def hung(history: Sequence[RoundFacts], limits: RunLimits) -> str | None:
    """Why no more sessions start after too many that hung in a row; else None."""
    last = _rounds_that_ran(history[1:])[-limits.stuck_repeats :]
    if len(last) < limits.stuck_repeats or any(facts.ended != "hung" for facts in last):
        return None
    return f"the last {_sessions(len(last))} hung (limits.stuck_repeats = {limits.stuck_repeats})"


def _same_failure(since_gain: Sequence[RoundFacts], limits: RunLimits) -> str | None:
    """A failed session has its retries first; a failing check has none."""
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


def _empty_sessions(since_progress: Sequence[RoundFacts], limits: RunLimits) -> str | None:
    last = since_progress[-limits.stuck_repeats :]
    empty = [
        facts for facts in last if facts.ended == "worked" and facts.session_s < EMPTY_SESSION_S
    ]
    if len(empty) < limits.stuck_repeats:
        return None
    return (
        f"the last {_sessions(len(empty))} took less than {EMPTY_SESSION_S:g} s each "
        f"and made no progress (limits.stuck_repeats = {limits.stuck_repeats})"
    )


def _reverted_work(history: Sequence[RoundFacts], last_gain: int, limits: RunLimits) -> str | None:
    """Counts rounds that lost commits or went back to an earlier tree."""
    trees = [facts.tree for facts in history]
    reverted = [
        n
        for n in range(last_gain + 1, len(history))
        if history[n].undone or (trees[n] != trees[n - 1] and trees[n] in trees[: n - 1])
    ]
    if len(reverted) < limits.stuck_repeats:
        return None
    return (
        f"{_rounds(len(reverted))} undid earlier work, and nothing passed "
        f"meanwhile (limits.stuck_repeats = {limits.stuck_repeats})"
    )


def _nothing_new(since_progress: Sequence[RoundFacts], limits: RunLimits) -> str | None:
    worked = [facts for facts in since_progress if facts.ended == "worked"]
    if len(worked) < limits.stuck_rounds:
        return None
    return (
        f"{_rounds(len(worked))} made no progress: no new changes, and no other deliverable,"
        " check or test passes now "
        f"(limits.stuck_rounds = {limits.stuck_rounds})"
    )


def _nothing_gained(since_gain: Sequence[RoundFacts], limits: RunLimits) -> str | None:
    worked = [facts for facts in since_gain if facts.ended == "worked"]
    if len(worked) < limits.stuck_rounds * GAIN_FACTOR:
        return None
    return (
        f"{_rounds(len(worked))} changed files, and no deliverable, check or test passes that "
        f"did not before "
        f"({GAIN_FACTOR} times limits.stuck_rounds = {limits.stuck_rounds})"
    )


def _rounds_that_ran(rounds: Sequence[RoundFacts]) -> Sequence[RoundFacts]:
    return [facts for facts in rounds if facts.ended != "kept_out"]


def _count_gains(history: Sequence[RoundFacts]) -> list[int]:
    """The number of gains up to each round."""
    return list(accumulate(_is_gain(history[:n], facts) for n, facts in enumerate(history)))


def _is_gain(earlier: Sequence[RoundFacts], facts: RoundFacts) -> bool:
    if not earlier:
        return False
    first = earlier[0].criteria
    failing = [each.failing_tests for each in earlier if each.failing_tests is not None]
    return (
        facts.tally.passed > max(each.tally.passed for each in earlier)
        or facts.green_checks > max(each.green_checks for each in earlier)
        or (facts.failing_tests is not None and facts.failing_tests < min(failing, default=0))
        or facts.phases not in {each.phases for each in earlier}
        or (facts.criteria != first and all(each.criteria == first for each in earlier))
    )


def _states(history: Sequence[RoundFacts], gains: Sequence[int]) -> list[object]:
    blocked = accumulate((facts.tally.blocked for facts in history), max)
    trees = (facts.tree for facts in history)
    return list(zip(trees, gains, blocked, strict=True))


def _last_new(states: Sequence[object]) -> int:
    """The index of the last state that equals no earlier one."""
    return max((n for n, state in enumerate(states) if state not in states[:n]), default=0)


def _without_numbers(message: str) -> str:
    return _WITH_DIGITS.sub("#", " ".join(message.split()))[:_MAX_LENGTH]


def _sessions(count: int) -> str:
    return "session" if count == 1 else f"{count} sessions"


def _rounds(count: int) -> str:
    return "1 round" if count == 1 else f"{count} rounds"
