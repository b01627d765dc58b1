"""Finds runs, their logs, steps and deliverables."""

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
from treadle.durable.finished_steps import finished_steps
from treadle.runs.engine_names import engine_location, leg_name
from treadle.workspace.project_root import find_project_root, project_key

if TYPE_CHECKING:
    from treadle.adapters.stores.event_store import EventStore
    from treadle.domain.effort import Effort

STATUS_FILE = Path(".treadle") / "status.json"


def list_project_runs(storage: Storage, project: Path, run_filter: RunFilter) -> list[RunRow]:
    """The runs of one project, newest first."""
    return run_list.list_runs(storage, replace(run_filter, project_key=project_key(project)))


def is_served(storage: Storage, run: RunId) -> bool:
    """Whether a worker with the login of the run is alive."""
    return run_list.run_is_served(storage.root, run)


def list_all_runs(storage: Storage, run_filter: RunFilter) -> list[RunRow]:
    """The runs of all projects, newest first."""
    return run_list.list_runs(storage, run_filter)


def find_run(storage: Storage, reference: str, *, directory: Path | None) -> RunRow:
    """The run with this reference; `last` is the newest of the project in `directory`."""
    project = find_project_root(directory) if directory else None
    key = project_key(project) if project else ""
    return run_list.find_run(storage, reference, project_key=key)


def deliverables_of(project: Path) -> tuple[Deliverable, ...]:
    """The deliverables in status.json; a malformed file raises ProjectError."""
    return StatusFile(project / STATUS_FILE).read()


@contextmanager
def open_rows(storage: Storage) -> Iterator[Callable[[RunId], RunRow]]:
    """A function that reads the row of a run, for repeated reads."""
    with closing(open_database(storage)) as database:
        yield run_list.RunList(database, storage).find


@contextmanager
def open_logs(storage: Storage) -> Iterator["EventStore"]:
    """The logs of all runs, open within the block."""
    # Imported here, because it loads all event types, which lists of runs do not need.
    from treadle.adapters.stores.event_store import open_store

    with closing(open_store(storage)) as store:
        yield store


def session_logs_of(storage: Storage, run: RunId) -> str:
    """The folder with a file for each session; empty if it is not on this machine."""
    # Imported here, because it loads all event types.
    from treadle.adapters.stores.session_logs import SESSION_LOGS

    folder = run_list.run_directory(storage.root, run) / SESSION_LOGS
    return str(folder) if folder.is_dir() else ""


def past_efforts_of(storage: Storage, run: RunId) -> "tuple[Effort, ...]":
    """What earlier runs of the same workflow in the same project took."""
    # Imported here, because it loads all event types.
    from treadle.wiring.past_efforts import past_efforts

    with closing(open_database(storage)) as database:
        return past_efforts(database, storage, run)


def steps_of(storage: Storage, run: RunId) -> list[StepRow]:
    """The finished steps of all legs, in order."""
    location, leg = engine_location(storage), 1
    rows: list[StepRow] = []
    # The run can be shown without its steps.
    with suppress(StoreError):
        while steps := finished_steps(location, leg_name(run, leg)):
            # Step names repeat in each leg.
            prefix = "" if leg == 1 else f"leg {leg}: "
            rows += [StepRow(prefix + s.name, s.started, s.duration.total_seconds()) for s in steps]
            leg += 1
    return rows
