"""How long a run has worked, folded from its log. Pure.

Preparing a run, what lies between two rounds, pauses and waits for a person do not count, as they
do not count in the result of the run. A clock that ticks cannot know which it is: it stands until
the time that counts has caught up. So no figure that is shown while
a run works is above a later one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.run import RunEnded, RunReopened

PAUSES = frozenset({"run.paused", "round.failed", "approval.asked", "pull_request.followed"})
CONTINUES = frozenset(
    {
        "session.started",
        # A queue has no workspace and no rounds.
        "item.started",
        "wait.started",
        "run.resumed",
        "approval.answered",
        "approval.lapsed",
        "approval.voided",
        "feedback.received",
    }
)
# What lies between the event before and these does not count.
AFTER_IDLE_TIME = frozenset({"workspace.prepared", "status.adopted", "round.started"})
# Nothing counts between these and the next event of `AFTER_IDLE_TIME` or `CONTINUES`.
BEFORE_WORK, AFTER_WORK = "run.started", "work.changed"


@dataclass(frozen=True, slots=True)
class RunningTime:
    """The time up to the last event, and whether it goes on."""

    counted_s: float = 0.0
    last_at: datetime | None = None
    is_paused: bool = False
    result_s: float = 0.0
    # What was shown before it turned out not to count.
    shown_s: float = 0.0

    def until(self, now: datetime) -> float:
        """The running time at this moment."""
        return max(self.shown_s, self.counted_until(now))

    def counted_until(self, now: datetime) -> float:
        """The same without what turned out not to count."""
        return self.counted_s if self.is_paused else self.counted_s + self._seconds_to(now)

    def _seconds_to(self, at: datetime) -> float:
        return 0.0 if self.last_at is None else max(0.0, (at - self.last_at).total_seconds())


def add_event(time: RunningTime, recorded: RecordedEvent) -> RunningTime:
    """The running time after one more event of the run."""
    event, at = recorded.event, recorded.at
    if isinstance(event, RunReopened):
        return RunningTime(time.result_s, at, is_paused=True)
    if isinstance(event, RunEnded):
        result_s = event.result.duration_s
        return RunningTime(result_s, at, is_paused=True, result_s=result_s)
    if event.type == BEFORE_WORK:
        return replace(time, last_at=at, is_paused=True)
    if event.type == "run.recovered":
        # Nobody looked at the clock of a lost run.
        return replace(time, last_at=at)
    if event.type in AFTER_IDLE_TIME or event.type == AFTER_WORK:
        is_over = event.type == AFTER_WORK
        return replace(time, last_at=at, shown_s=time.until(at), is_paused=is_over)
    if time.last_at is None:
        return time
    time = replace(time, counted_s=time.counted_until(at), last_at=at)
    if event.type in PAUSES:
        return replace(time, is_paused=True)
    return replace(time, is_paused=False) if event.type in CONTINUES else time


def running_time_of(log: Iterable[RecordedEvent]) -> RunningTime:
    """The running time after all events of a log."""
    time = RunningTime()
    for recorded in log:
        time = add_event(time, recorded)
    return time
