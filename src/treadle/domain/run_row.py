"""A run as one row of the list of runs, a filter for that list, and a finished step."""

from dataclasses import dataclass
from datetime import datetime

from treadle.domain.ids import RunId
from treadle.domain.lifecycle import ALIVE, RunState


@dataclass(frozen=True, slots=True)
class RunRow:
    """Updated with every event; times are ISO 8601 texts, empty if unknown."""

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
    # The end of a pause, or the deadline of an open question.
    until: str = ""
    # The open question, or the reason of the pause.
    waiting_for: str = ""
    # The machine and directory of its process; only there can its lock be checked.
    host: str = ""
    # When its log and files were deleted; the row stays.
    cleaned_at: str = ""
    # Running time up to its last end; None before that, and for runs older than this column.
    duration_s: float | None = None
    reopened_at: str = ""

    @property
    def alive(self) -> bool:
        """Whether a process works on it, even if it sleeps."""
        return self.state in ALIVE

    @property
    def may_be_unlanded(self) -> bool:
        """Whether work of it may be on its branch alone; its log and git know."""
        is_over = self.state in ("succeeded", "ended")
        return is_over and bool(self.branch) and not self.landed and not self.rehearsal


@dataclass(frozen=True, slots=True)
class UnlandedRun:
    """A run whose work is only on its branch, and why."""

    row: RunRow
    reason: str


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs to list, newest first; empty fields do not filter."""

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
