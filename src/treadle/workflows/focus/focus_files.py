"""Follows the log of a `focus` run: keeps its history, and writes its working files."""

from collections.abc import Iterable

from treadle.domain.errors import ProjectError
from treadle.domain.events.all_events import RecordedEvent
from treadle.workflows.definition import WorkingFiles
from treadle.workflows.focus.focus_history import FocusHistory, apply, read_focus_history
from treadle.workflows.focus.working_files import working_files


class FocusFiles:
    """The `LogFollower` of `focus`. The files depend on the log only, so that they are the same
    after a crash."""

    def __init__(self, files: WorkingFiles, *, given_review: str) -> None:
        self._files = files
        self._given_review = given_review
        self.history = FocusHistory()
        # Why the files are out of date; empty while they are not.
        self.problem = ""

    def load(self, log: Iterable[RecordedEvent]) -> None:
        self.history = read_focus_history(log)

    def refresh(self) -> None:
        try:
            self._files.write(self._texts())
        except ProjectError as error:
            # Nothing is lost, because the log has it; the run warns at its next step.
            self.problem = error.message
        else:
            self.problem = ""

    def apply(self, recorded: RecordedEvent) -> None:
        before, self.history = self.history, apply(self.history, recorded)
        if self.history is not before and not self.history.ended:
            self.refresh()

    def close(self) -> None:
        """Archive the files with the run."""
        try:
            self._files.archive(self._texts())
        except ProjectError as error:
            self.problem = error.message

    def _texts(self) -> dict[str, str]:
        return working_files(self.history, given_review=self._given_review)
