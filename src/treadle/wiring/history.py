"""What runs have left to look up: rows, logs, a project's deliverables. Thin: loads no events."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from treadle.adapters.stores import runs
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.status_file import StatusFile
from treadle.domain.deliverable import Deliverable
from treadle.domain.ids import RunId
from treadle.domain.run_row import RunFilter, RunRow
from treadle.domain.storage import Storage
from treadle.workspace.place import enclosing_project, project_key

if TYPE_CHECKING:
    from treadle.adapters.stores.event_store import EventStore

STATUS_FILE = Path(".treadle") / "status.json"


def runs_of(storage: Storage, project: Path, wanted: RunFilter) -> list[RunRow]:
    """The runs of one project, newest first."""
    return runs.list_runs(storage, replace(wanted, project_key=project_key(project)))


def runs_everywhere(storage: Storage, wanted: RunFilter) -> list[RunRow]:
    """The runs of all projects, newest first."""
    return runs.list_runs(storage, wanted)


def find_run(storage: Storage, reference: str, *, standing_in: Path | None) -> RunRow:
    """The run that a person means; `last` is the newest of the project they stand in, if any."""
    project = enclosing_project(standing_in) if standing_in else None
    key = project_key(project) if project else ""
    return runs.find_run(storage, reference, project_key=key)


def deliverables_of(project: Path) -> tuple[Deliverable, ...]:
    """The deliverables as people see them; a file that makes no sense raises ProjectError."""
    return StatusFile(project / STATUS_FILE).read()


@contextmanager
def open_rows(storage: Storage) -> Iterator[Callable[[RunId], RunRow]]:
    """How a run stands, for whoever asks again and again."""
    with closing(open_database(storage)) as database:
        yield runs.RunList(database, storage).find


@contextmanager
def open_logs(storage: Storage) -> Iterator["EventStore"]:
    """The logs of all runs, for as long as the block lasts."""
    # Here, because it takes the event types, which a look at the rows does without.
    from treadle.adapters.stores.event_store import open_store

    with closing(open_store(storage)) as store:
        yield store
