"""Keeps the deliverables and status.json in step: events first, then the file."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from treadle.domain.deliverable import Deliverable
from treadle.domain.errors import ProjectError
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import StatusAdopted
from treadle.domain.ports import Clock, StatusBoard
from treadle.workflows.deliver.status_merge import (
    as_edited,
    replaced,
    unsaved,
    with_changes,
    with_known_checks,
)
from treadle.workflows.loop.run_history import RunHistory


class StatusProjection:
    """What is known of the deliverables; the file follows, and a person's edit of it stands."""

    def __init__(
        self,
        file: StatusBoard,
        record: Callable[[Event], None],
        clock: Clock,
        *,
        rehearsed: bool,
    ) -> None:
        self._file = file
        self._record = record
        self._clock = clock
        self._rehearsed = rehearsed
        self._warned = ""
        self.known: tuple[Deliverable, ...] = ()
        # Changes that the log has and the file does not have yet.
        self._unsaved: tuple[Deliverable, ...] = ()
        # Those of the file that only a rehearsal wrote down, by id.
        self.left_out: tuple[str, ...] = ()

    def open(self) -> None:
        """Begin with what an earlier run or a person left in the file."""
        self.known = self._read()
        if self.known:
            self._record(StatusAdopted(self.known, "earlier_run"))

    def reopen(self, told: RunHistory) -> None:
        """Go on from the run's own log; what was stored there and not written yet is written."""
        try:
            found = self._read()
        except ProjectError as error:
            self._warn(error, "going on from the last valid state")
            found = ()
        self.known = told.deliverables
        if not told.is_fresh_leg:
            # A run that had ended has written all: what differs then is a person's.
            self._unsaved = tuple(self.marked(d) for d in unsaved(found, told))
        self._take_over(found or told.deliverables)
        if self._unsaved:
            self._save()

    def adopt(self) -> None:
        """Take over what a person wrote into the file; a broken one is refused by its line."""
        if self._unsaved:
            self._save()
            return
        try:
            self._take_over(self._read())
        except ProjectError as error:
            self._warn(error, "going on from the last valid state")

    def find(self, name: str) -> Deliverable | None:
        return next((d for d in self.known if d.id == name), None)

    def change(self, changed: Sequence[Deliverable]) -> None:
        """These are so now; the log has it already."""
        if not changed:
            return
        self.known = replaced(self.known, changed)
        self._unsaved = (*self._unsaved, *changed)
        self._save()

    def new(self, d: Deliverable) -> Deliverable:
        """As this run writes it down: the plan of a script is one for rehearsals only."""
        return replace(d, rehearsed=self._rehearsed)

    def marked(self, d: Deliverable) -> Deliverable:
        """What a rehearsal passes is worth something to rehearsals only."""
        if d.claim is None:
            return d
        return replace(d, claim=replace(d.claim, rehearsed=self._rehearsed))

    def _read(self) -> tuple[Deliverable, ...]:
        """The file, without what is none of this run's business: the next write leaves it out."""
        found = self._file.read()
        if self._rehearsed:
            return found
        self.left_out = tuple(d.id for d in found if d.rehearsed)
        return tuple(d for d in found if not d.rehearsed)

    def _save(self) -> None:
        """Bring the file up to the log. One that takes no writes is tried again the next time."""
        try:
            while not self._file.write(self.known, today=self._clock.now().date().isoformat()):
                # Somebody saved the file in this very moment.
                self._take_over(self._read())
        except ProjectError as error:
            self._warn(error, "going on without it")
        else:
            self._unsaved = ()

    def _take_over(self, found: Sequence[Deliverable]) -> None:
        ours = {d.id: d for d in self.known}
        theirs = [with_known_checks(d, ours.get(d.id)) for d in found]
        after = with_changes(theirs, self._unsaved)
        edited = as_edited(after) != as_edited(self.known)
        self.known = after
        if edited:
            self._record(StatusAdopted(after, "hand_edit"))

    def _warn(self, error: ProjectError, consequence: str) -> None:
        if error.message != self._warned:
            self._warned = error.message
            self._record(RunWarned(f"{error.message}; {consequence}"))
