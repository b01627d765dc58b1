"""Follows the log of a `focus` run: its history, and the working files that show it."""

from collections.abc import Iterable

from treadle.domain.errors import ProjectError
from treadle.domain.events.all_events import RecordedEvent
from treadle.workflows.definition import WorkingFiles
from treadle.workflows.focus.focus_history import FocusHistory, apply, read_focus_history
from treadle.workflows.focus.working_files import working_files


class FocusFiles:
    """The `LogFollower` of `focus`. The files are written from the log alone, so that after a crash
    they are what they would have been."""

    def __init__(self, files: WorkingFiles, *, given_review: str) -> None:
        self._files = files
        self._given_review = given_review
        self.history = FocusHistory()
        # Why the files are not what they should be; empty while they are.
        self.problem = ""

    def load(self, log: Iterable[RecordedEvent]) -> None:
        self.history = read_focus_history(log)

    def refresh(self) -> None:
        try:
            self._files.write(self._wanted())
        except ProjectError as error:
            # The log has all of it, so nothing is lost; the run warns at its next step.
            self.problem = error.message
        else:
            self.problem = ""

    def apply(self, recorded: RecordedEvent) -> None:
        before, self.history = self.history, apply(self.history, recorded)
        if self.history is not before and not self.history.ended:
            self.refresh()

    def close(self) -> None:
        """The files become part of the run's history."""
        try:
            self._files.archive(self._wanted())
        except ProjectError as error:
            self.problem = error.message

    def _wanted(self) -> dict[str, str]:
        return working_files(self.history, given_review=self._given_review)
