"""The states of a run and the one table of allowed transitions. Pure; loads no event types.

A run is `queued` until a process takes it, then `running`, `paused` (for a quota) or `waiting` (for
a person; a queue also for files), and finally `succeeded` or `ended`; an ended run may be reopened,
and is queued again. One that is reopened to wait for CI and reviews of its pull request is
`following`.
`lost` is never stored: it is shown for a run whose stored state is alive but whose owner is gone.
"""

from typing import Literal, get_args

from treadle.domain.errors import StoreError
from treadle.domain.ids import RunId, short_id

StoredState = Literal["queued", "running", "paused", "waiting", "following", "succeeded", "ended"]
RunState = Literal[StoredState, "lost"]

STATES: tuple[StoredState, ...] = get_args(StoredState)
# A process works on the run.
ALIVE: frozenset[str] = frozenset({"running", "paused", "waiting", "following"})
OVER: frozenset[str] = frozenset({"succeeded", "ended"})

# Event type -> state before (None: no such run yet) -> state after. All else is refused.
TRANSITIONS: dict[str, dict[StoredState | None, StoredState]] = {
    "run.queued": {None: "queued"},
    "run.started": {None: "running", "queued": "running"},
    "run.recovered": {
        "queued": "running",
        "running": "running",
        "paused": "paused",
        "waiting": "waiting",
        "following": "following",
    },
    "pull_request.followed": {
        "queued": "following",
        "running": "following",
        "following": "following",
    },
    "feedback.received": {"following": "running", "running": "running"},
    # The only event that shows that a reopened run is running.
    "round.started": {
        "queued": "running",
        "running": "running",
        "paused": "running",
        "waiting": "running",
        "following": "running",
    },
    "run.paused": {"queued": "paused", "running": "paused", "paused": "paused"},
    "run.resumed": {"paused": "running"},
    "approval.asked": {"queued": "waiting", "running": "waiting", "waiting": "waiting"},
    # Several questions may be open at once; after the first answer the run is running.
    "approval.answered": {"waiting": "running", "running": "running"},
    "approval.lapsed": {"waiting": "running", "running": "running"},
    # A queue that was reopened shows by one of these that it is running.
    "item.started": {"queued": "running", "running": "running", "waiting": "running"},
    "wait.started": {"queued": "waiting", "running": "waiting", "waiting": "waiting"},
    "wait.ended": {"running": "running", "waiting": "running"},
    # The end of a run voids its open questions.
    "approval.voided": {
        "queued": "queued",
        "running": "running",
        "paused": "paused",
        "waiting": "running",
        "following": "following",
        "succeeded": "succeeded",
        "ended": "ended",
    },
    # `next_state` turns it into `succeeded` by the result.
    "run.ended": {
        "queued": "ended",
        "running": "ended",
        "paused": "ended",
        "waiting": "ended",
        "following": "ended",
    },
    # One that has succeeded reopens itself alone, to follow its pull request: stores see to it.
    "run.reopened": {"ended": "queued", "succeeded": "queued"},
}

_WORDS: dict[StoredState | None, str] = {
    None: "was never started",
    "queued": "is still queued",
    "running": "is running",
    "paused": "is paused",
    "waiting": "waits for an answer",
    "following": "follows its pull request",
    "succeeded": "has succeeded",
    "ended": "has ended",
}


class IllegalTransition(StoreError):
    """An event that cannot follow in the run's state; it was not stored."""

    def __init__(self, run: RunId, state: StoredState | None, event_type: str) -> None:
        super().__init__(
            f"run {short_id(run)} {_WORDS[state]}: {event_type} cannot follow",
            hint=f"see its state with `treadle show {short_id(run)}`",
        )
        self.state = state
        self.event_type = event_type


def changes_state(event_type: str) -> bool:
    """Whether events of this type change the state of a run."""
    return event_type in TRANSITIONS


def next_state(
    run: RunId, state: StoredState | None, event_type: str, *, succeeded: bool = False
) -> StoredState:
    """The state after the event; IllegalTransition if the event cannot follow."""
    state_after = TRANSITIONS[event_type].get(state)
    if state_after is None:
        raise IllegalTransition(run, state, event_type)
    return "succeeded" if succeeded else state_after
