"""Writes what a run has handed over for the project's files, once its work is in the checkout."""

from collections.abc import Iterable, Sequence

from treadle.adapters.stores.note_files import NoteFiles
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.work import WorkImported, WorkKept, WorkLanded
from treadle.domain.ids import RunId
from treadle.domain.ports import Log
from treadle.workflows.registry import WORKFLOWS, find_workflow
from treadle.workspace.project import Project


def apply_notes(
    workflow: str, events: Iterable[RecordedEvent], project: Project, run: RunId, log: Log
) -> None:
    """Nothing happens while work of the run is only on its branch: whoever obeys the notes would
    not have the specifications that they refer to."""
    apply = find_workflow(workflow).apply_notes if workflow in WORKFLOWS else None
    if apply is None:
        return
    known = tuple(events)
    if is_in_checkout(known):
        apply(known, NoteFiles(project.root, run), log)


def is_in_checkout(events: Sequence[RecordedEvent]) -> bool:
    """Whether all that the run has brought has landed."""
    last = [
        recorded.event
        for recorded in events
        if isinstance(recorded.event, WorkImported | WorkLanded | WorkKept)
    ][-1:]
    return not last or isinstance(last[0], WorkLanded)
