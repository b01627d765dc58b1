"""What the run of an increment does next: a completion promise counts beside proof. Pure."""

from collections.abc import Iterable

from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.run import RoundStarted
from treadle.domain.events.session import SignalGiven
from treadle.workflows.deliver.next_action import decide_next
from treadle.workflows.loop.limit_checks import limit_reached, needed_wait
from treadle.workflows.loop.next_action import DecisionRules, NextAction, RunSession, StopRun
from treadle.workflows.loop.run_progress import RunProgress

PROMISE_EVENTS = ("round.started", "signal.given")
_PROMISE = """
## When the increment is complete

Treadle goes on with this increment until you call it complete. Do so once everything that the
specification asks for is built, committed and claimed, with these words on a line of their own:

<auto-complete>{promise}</auto-complete>

Treadle runs the checks and the tests after it. While one of them is red your word has no effect,
and the next session goes on.
"""


def specification_text(specification: str) -> str:
    """The specification as the last part of a prompt."""
    return f"\n## The specification\n\n{specification.strip()}\n"


def promise_text(promise: str) -> str:
    """What a session is told about the promise."""
    return _PROMISE.format(promise=promise)


def decide_increment(
    progress: RunProgress, rules: DecisionRules, *, is_promised: bool
) -> NextAction:
    """As `deliver` does; verified work without a promise is looked at by one more session."""
    action = decide_next(progress, rules)
    is_success = isinstance(action, StopRun) and action.reason == "all_passed"
    if not is_success or is_promised:
        return action
    return limit_reached(progress, rules.limits) or needed_wait(progress) or RunSession("coding")


def has_promised(log: Iterable[RecordedEvent], promise: str) -> bool:
    """Whether the last session gave the promise, word by word."""
    promised = False
    for recorded in log:
        match recorded.event:
            case RoundStarted():
                promised = False
            case SignalGiven(kind="auto_complete", text=text):
                promised = promised or " ".join(text.split()) == promise
            case _:
                pass
    return promised


def why_refused(tally: Tally, findings: str) -> str:
    """Why a promise has no effect; empty if nothing contradicts it."""
    if findings:
        return "checks or tests are red"
    if tally.all_achievable_passed:
        return ""
    if not tally.total:
        return "nothing is planned yet"
    return f"{tally.pending} of {tally.total} deliverables are pending"
