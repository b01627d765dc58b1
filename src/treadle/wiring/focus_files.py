"""Follows the log of a `focus` run: its history, and the working files that show it."""

from collections.abc import Iterable
from pathlib import Path

from treadle.adapters.stores.event_store import EventStore
from treadle.adapters.stores.wip_files import WipFiles
from treadle.domain.errors import ProjectError
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.ids import RunId
from treadle.domain.run_row import RunRow
from treadle.runs.request import CheckedRequest
from treadle.workflows.focus.focus_history import FocusHistory, apply, read_focus_history
from treadle.workflows.focus.working_files import working_files


class FocusFiles:
    """A reader of the log. The files are written from it alone, so that after a crash they are
    what they would have been."""

    def __init__(self, files: WipFiles, *, given_review: str) -> None:
        self._files = files
        self._given_review = given_review
        self.course = FocusHistory()
        # Why the files are not what they should be; empty while they are.
        self.trouble = ""

    def recall(self, log: Iterable[RecordedEvent]) -> None:
        """Take in what was told before, and have the files as they were then."""
        self.course = read_focus_history(log)
        self._show()

    def hear(self, recorded: RecordedEvent) -> None:
        before, self.course = self.course, apply(self.course, recorded)
        if self.course is not before and not self.course.ended:
            self._show()

    def put_away(self) -> None:
        """The run ends here: its files become part of its history."""
        try:
            self._files.archive(self._wanted())
        except ProjectError as error:
            self.trouble = error.message

    def _show(self) -> None:
        try:
            self._files.write(self._wanted())
        except ProjectError as error:
            # The log has all of it, so nothing is lost; the run says so at its next turn.
            self.trouble = error.message
        else:
            self.trouble = ""

    def _wanted(self) -> dict[str, str]:
        return working_files(self.course, given_review=self._given_review)


def focus_files(ready: CheckedRequest, store: EventStore) -> FocusFiles | None:
    """That of a run which was told so far by others; None for a workflow without one."""
    request = ready.request
    if request.workflow != "focus":
        return None
    files = _files(ready.project.root, ready.directory, request.run)
    chronicle = FocusFiles(files, given_review=request.review)
    chronicle.recall(store.outline(request.run))
    return chronicle


def put_away_files(row: RunRow, directory: Path, store: EventStore) -> None:
    """The same end of a run that nobody works on any more."""
    if row.workflow != "focus":
        return
    files = _files(Path(row.project_path), directory, row.id)
    # A review that a person gave is theirs still.
    chronicle = FocusFiles(files, given_review="")
    chronicle.course = read_focus_history(store.outline(row.id))
    chronicle.put_away()


def _files(project: Path, directory: Path, run: RunId) -> WipFiles:
    return WipFiles(project / ".treadle" / "wip", directory / "wip", run)
