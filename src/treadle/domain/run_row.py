"""A run as one row of the list of runs, a filter for that list, and a finished step."""

from dataclasses import dataclass
from datetime import datetime

from treadle.domain.ids import RunId
from treadle.domain.lifecycle import ALIVE, RunState


@dataclass(frozen=True, slots=True)
class RunRow:
    """Kept up to date event by event; times are texts in ISO 8601, empty while there is none."""

    id: RunId
    workflow: str
    project_path: str
    project_key: str
    state: RunState
    reason: str
    sandbox: str
    rehearsal: int
    planned: str
    started_at: str
    ended_at: str
    rounds: int
    passed: int
    blocked: int
    total: int
    cost_usd: float
    branch: str
    snapshot: str
    landed: str
    # The end of a pause or of the time for an answer, while there is one.
    until: str = ""
    # The question that is open, or why the run is paused.
    waiting_for: str = ""
    # The machine and directory of the process that works on it: only there can it be seen to live.
    host: str = ""
    # When its log and its files were removed; the line itself stays.
    cleaned_at: str = ""
    # Running time up to its last end, as the summary says it and the limit counts it; none before
    # that, and none for runs that ended before it was kept.
    duration_s: float | None = None
    reopened_at: str = ""

    @property
    def alive(self) -> bool:
        """Does a living process work on it, be it asleep?"""
        return self.state in ALIVE


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs are wanted, the newest first; what is empty does not narrow."""

    project_key: str = ""
    states: tuple[RunState, ...] = ()
    workflow: str = ""
    since: datetime | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class StepRow:
    name: str
    started: datetime
    took_s: float
