"""What is known of a queue of increments, for programs that follow it. Types only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from treadle.domain.exit_reasons import ExitReason
from treadle.domain.lifecycle import RunState
from treadle.workflows.queue.queue_state import QueueState


@dataclass(frozen=True, slots=True)
class AutoSession:
    """What is known of a queue of increments."""

    run: str
    state: RunState
    reason: ExitReason | None
    started_at: str
    # What was asked for.
    inputs: Mapping[str, str]
    max_iterations: int
    max_hours: float
    queue: QueueState
    # Rounds of the increment that is in work.
    current_rounds: int = 0
    # Questions of its runs that wait for a person.
    pending: Sequence[str] = ()
