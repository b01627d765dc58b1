"""Keeps up with the log of a `focus` run: its course, and the working files that show it."""

from collections.abc import Iterable
from pathlib import Path

from treadle.adapters.stores.event_store import EventStore
from treadle.adapters.stores.wip_files import WipFiles
from treadle.domain.errors import ProjectError
from treadle.domain.events.all_events import Recorded
from treadle.domain.ids import RunId
from treadle.domain.run_row import RunRow
from treadle.wiring.run_request import Ready
from treadle.workflows.focus.recollection import Course, recollect, told
from treadle.workflows.focus.working_files import working_files


class Chronicle:
    """A reader of the log. The files are written from it alone, so that after a crash they are
    what they would have been."""

    def __init__(self, files: WipFiles, *, given_review: str) -> None:
        self._files = files
        self._given_review = given_review
        self.course = Course()
        # Why the files are not what they should be; empty while they are.
        self.trouble = ""

    def recall(self, log: Iterable[Recorded]) -> None:
        """Take in what was told before, and have the files as they were then."""
        self.course = recollect(log)
        self._show()

    def hear(self, recorded: Recorded) -> None:
        before, self.course = self.course, told(self.course, recorded)
        if self.course is not before and not self.course.ended:
            self._show()

    def put_away(self) -> None:
        """The run ends here: its files become part of its history."""
        try:
            self._files.put_away(self._wanted())
        except ProjectError as error:
            self.trouble = error.message

    def _show(self) -> None:
        try:
            self._files.show(self._wanted())
        except ProjectError as error:
            # The log has all of it, so nothing is lost; the run says so at its next turn.
            self.trouble = error.message
        else:
            self.trouble = ""

    def _wanted(self) -> dict[str, str]:
        return working_files(self.course, given_review=self._given_review)


def chronicle_of(ready: Ready, store: EventStore) -> Chronicle | None:
    """That of a run which was told so far by others; None for a workflow without one."""
    request = ready.request
    if request.workflow != "focus":
        return None
    files = _files(ready.project.root, ready.directory, request.run)
    chronicle = Chronicle(files, given_review=request.review)
    chronicle.recall(store.outline(request.run))
    return chronicle


def put_away_files(row: RunRow, directory: Path, store: EventStore) -> None:
    """The same end of a run that nobody works on any more."""
    if row.workflow != "focus":
        return
    files = _files(Path(row.project_path), directory, row.id)
    # A review that a person gave is theirs still.
    chronicle = Chronicle(files, given_review="")
    chronicle.course = recollect(store.outline(row.id))
    chronicle.put_away()


def _files(project: Path, directory: Path, run: RunId) -> WipFiles:
    return WipFiles(project / ".treadle" / "wip", directory / "wip", run)
