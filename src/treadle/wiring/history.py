"""What runs have left to look up: rows, logs, a project's deliverables. Thin: loads no events."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from treadle.adapters.stores import runs
from treadle.adapters.stores.status_file import StatusFile
from treadle.domain.deliverable import Deliverable
from treadle.domain.run_row import RunRow
from treadle.workspace.place import enclosing_project, project_key

if TYPE_CHECKING:
    from treadle.domain.ports import Store

STATUS_FILE = Path(".treadle") / "status.json"


def runs_of(root: Path, project: Path, *, limit: int) -> list[RunRow]:
    """The runs of one project, newest first."""
    return runs.list_runs(root, project_key=project_key(project), limit=limit)


def runs_everywhere(root: Path, *, limit: int) -> list[RunRow]:
    """The runs of all projects, newest first."""
    return runs.list_runs(root, limit=limit)


def find_run(root: Path, reference: str, *, standing_in: Path | None) -> RunRow:
    """The run that a person means; `last` is the newest of the project they stand in, if any."""
    project = enclosing_project(standing_in) if standing_in else None
    key = project_key(project) if project else None
    return runs.find_run(root, reference, project_key=key)


def deliverables_of(project: Path) -> tuple[Deliverable, ...]:
    """The deliverables as people see them; a file that makes no sense raises ProjectError."""
    return StatusFile(project / STATUS_FILE).read()


@contextmanager
def open_logs(root: Path) -> Iterator["Store"]:
    """The logs of all runs, for as long as the block lasts."""
    # Here, because it takes the event types, which a look at the rows does without.
    from treadle.adapters.stores.sqlite import SqliteStore

    with closing(SqliteStore(root)) as store:
        yield store
