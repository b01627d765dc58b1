"""Finds run_list, their logs, steps and deliverables."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from treadle.adapters.stores import run_list
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.status_file import StatusFile
from treadle.domain.deliverable import Deliverable
from treadle.domain.errors import StoreError
from treadle.domain.ids import RunId
from treadle.domain.run_row import RunFilter, RunRow, StepRow
from treadle.domain.storage import Storage
from treadle.runs.engine_names import engine_location, leg_name
from treadle.workspace.project_root import find_project_root, project_key

if TYPE_CHECKING:
    from treadle.adapters.stores.event_store import EventStore

STATUS_FILE = Path(".treadle") / "status.json"


def list_project_runs(storage: Storage, project: Path, wanted: RunFilter) -> list[RunRow]:
    """The runs of one project, newest first."""
    return run_list.list_runs(storage, replace(wanted, project_key=project_key(project)))


def list_all_runs(storage: Storage, wanted: RunFilter) -> list[RunRow]:
    """The runs of all projects, newest first."""
    return run_list.list_runs(storage, wanted)


def find_run(storage: Storage, reference: str, *, standing_in: Path | None) -> RunRow:
    """The run that a person means; `last` is the newest of the project they stand in, if any."""
    project = find_project_root(standing_in) if standing_in else None
    key = project_key(project) if project else ""
    return run_list.find_run(storage, reference, project_key=key)


def deliverables_of(project: Path) -> tuple[Deliverable, ...]:
    """The deliverables as people see them; a file that makes no sense raises ProjectError."""
    return StatusFile(project / STATUS_FILE).read()


@contextmanager
def open_rows(storage: Storage) -> Iterator[Callable[[RunId], RunRow]]:
    """How a run stands, for whoever asks again and again."""
    with closing(open_database(storage)) as database:
        yield run_list.RunList(database, storage).find


@contextmanager
def open_logs(storage: Storage) -> Iterator["EventStore"]:
    """The logs of all run_list, for as long as the block lasts."""
    # Here, because it takes the event types, which a look at the rows does without.
    from treadle.adapters.stores.event_store import open_store

    with closing(open_store(storage)) as store:
        yield store


def steps_of(storage: Storage, run: RunId) -> list[StepRow]:
    """In the order of the story, over all legs of the run."""
    # The engine's tables are read by a library that takes a while to load.
    from treadle.durable.queries import finished_steps

    location, leg = engine_location(storage), 1
    taken: list[StepRow] = []
    # What else is known of the run can be shown without them.
    with suppress(StoreError):
        while steps := finished_steps(location, leg_name(run, leg)):
            # A run that was reopened has steps of the same name again.
            place = "" if leg == 1 else f"leg {leg}: "
            taken += [StepRow(place + s.name, s.started, s.duration.total_seconds()) for s in steps]
            leg += 1
    return taken
