"""Keeps the deliverables and status.json in sync: events first, then the file."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from treadle.domain.deliverable import Deliverable
from treadle.domain.errors import ProjectError
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import StatusAdopted
from treadle.domain.ports import Clock, StatusBoard
from treadle.workflows.deliver.status_merge import (
    editable_parts,
    missing_from_file,
    replace_by_id,
    with_changes,
    with_known_checks,
)
from treadle.workflows.loop.run_history import RunHistory


class StatusProjection:
    """The deliverables of a run, written to the file; a person's edit of the file is kept."""

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
        self.deliverables: tuple[Deliverable, ...] = ()
        # Changes that the log has and the file lacks.
        self._unsaved: tuple[Deliverable, ...] = ()
        # Deliverables in the file that only a rehearsal created.
        self.rehearsed_ids: tuple[str, ...] = ()

    def open(self) -> None:
        """Start with the deliverables in the file."""
        self.deliverables = self._read()
        if self.deliverables:
            self._record(StatusAdopted(self.deliverables, "earlier_run"))

    def reopen(self, history: RunHistory) -> None:
        """Continue from the run's log; write what the file lacks."""
        try:
            from_file = self._read()
        except ProjectError as error:
            self._warn(error, "continuing from the last valid state")
            from_file = ()
        self.deliverables = history.deliverables
        if not history.is_fresh_leg:
            # An ended run has written everything, so any difference is a person's edit.
            self._unsaved = tuple(
                self.with_rehearsal_mark(d) for d in missing_from_file(from_file, history)
            )
        self._merge_file(from_file or history.deliverables)
        if self._unsaved:
            self._save()

    def adopt(self) -> None:
        """Adopt a person's edits of the file; warn about a broken file."""
        if self._unsaved:
            self._save()
            return
        try:
            self._merge_file(self._read())
        except ProjectError as error:
            self._warn(error, "continuing from the last valid state")

    def find(self, name: str) -> Deliverable | None:
        return next((d for d in self.deliverables if d.id == name), None)

    def change(self, changed: Sequence[Deliverable]) -> None:
        """Apply changes that are recorded already, and write them."""
        if not changed:
            return
        self.deliverables = replace_by_id(self.deliverables, changed)
        self._unsaved = (*self._unsaved, *changed)
        self._save()

    def replace_all(
        self,
        deliverables: tuple[Deliverable, ...],
        origin: Literal["plan_accepted", "plan_rejected"],
    ) -> None:
        """Record and write other deliverables in place of all."""
        if deliverables == self.deliverables:
            return
        self._record(StatusAdopted(deliverables, origin))
        self.deliverables, self._unsaved = deliverables, ()
        self._save()

    def mark_new(self, d: Deliverable) -> Deliverable:
        """A new deliverable of this run, marked if the run is a rehearsal."""
        return replace(d, rehearsed=self._rehearsed)

    def with_rehearsal_mark(self, d: Deliverable) -> Deliverable:
        """The deliverable with its pass marked: a rehearsed pass counts in rehearsals only."""
        if d.claim is None:
            return d
        return replace(d, claim=replace(d.claim, rehearsed=self._rehearsed))

    def _read(self) -> tuple[Deliverable, ...]:
        """The file without rehearsed deliverables, which the next write removes."""
        from_file = self._file.read()
        if self._rehearsed:
            return from_file
        self.rehearsed_ids = tuple(d.id for d in from_file if d.rehearsed)
        return tuple(d for d in from_file if not d.rehearsed)

    def _save(self) -> None:
        """Write the file. After a failure the next change tries again."""
        try:
            while not self._file.write(
                self.deliverables, today=self._clock.now().date().isoformat()
            ):
                # A person saved the file at the same time.
                self._merge_file(self._read())
        except ProjectError as error:
            self._warn(error, "continuing without it")
        else:
            self._unsaved = ()

    def _merge_file(self, from_file: Sequence[Deliverable]) -> None:
        ours = {d.id: d for d in self.deliverables}
        theirs = [with_known_checks(d, ours.get(d.id)) for d in from_file]
        after = with_changes(theirs, self._unsaved)
        edited = editable_parts(after) != editable_parts(self.deliverables)
        self.deliverables = after
        if edited:
            self._record(StatusAdopted(after, "hand_edit"))

    def _warn(self, error: ProjectError, consequence: str) -> None:
        if error.message != self._warned:
            self._warned = error.message
            self._record(RunWarned(f"{error.message}; {consequence}"))
