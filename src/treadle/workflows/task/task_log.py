"""Follows the log of a `task` run: its plans, signals and reviews. Writes no files."""

from collections.abc import Iterable

from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.focus import PlanWritten
from treadle.domain.task_plan import TaskPlan
from treadle.workflows.focus.focus_history import FocusHistory, apply


class TaskLog:
    """The `LogFollower` of `task`. A plan, a signal and a review are events of `focus`, too."""

    def __init__(self) -> None:
        self.history = FocusHistory()
        # The plans that were handed over, by their text.
        self._plans: dict[str, TaskPlan] = {}

    def load(self, log: Iterable[RecordedEvent]) -> None:
        for recorded in log:
            self.apply(recorded)

    def refresh(self) -> None:
        """Nothing to write."""

    def apply(self, recorded: RecordedEvent) -> None:
        self.history = apply(self.history, recorded)
        if isinstance(recorded.event, PlanWritten) and recorded.event.plan is not None:
            self._plans[recorded.event.text] = recorded.event.plan

    def close(self) -> None:
        """Nothing to archive."""

    def plan_of(self, text: str) -> TaskPlan:
        """The plan that reads like this."""
        return self._plans[text]
