"""Updates and archives the working files of a run, as its workflow declares."""

from pathlib import Path

from treadle.adapters.stores.event_store import EventStore
from treadle.adapters.stores.wip_files import WipFiles
from treadle.domain.ids import RunId
from treadle.domain.run_row import RunRow
from treadle.domain.stored_path import path_from
from treadle.wiring.checked_request import CheckedRequest
from treadle.workflows.definition import LogFollower
from treadle.workflows.registry import WORKFLOWS, find_workflow


def follow_log(checked: CheckedRequest, store: EventStore) -> LogFollower | None:
    """The follower of the run's log; None for most workflows."""
    if checked.workflow.follow_log is None:
        return None
    request = checked.request
    files = _working_files(checked.project.root, checked.directory, request.run)
    follower = checked.workflow.follow_log(files, request.inputs)
    follower.load(store.outline(request.run))
    follower.refresh()
    return follower


def archive_files(row: RunRow, directory: Path, store: EventStore) -> None:
    """Archive the working files of a run that no process executes."""
    if row.workflow not in WORKFLOWS:
        return  # of a newer version, whose files are not known here
    workflow = find_workflow(row.workflow)
    if workflow.follow_log is None:
        return
    files = _working_files(path_from(row.project_path), directory, row.id)
    # Without inputs, so that a person's review stays where it is.
    follower = workflow.follow_log(files, {})
    follower.load(store.outline(row.id))
    follower.close()


def _working_files(project: Path, directory: Path, run: RunId) -> WipFiles:
    return WipFiles(project / ".treadle" / "wip", directory / "wip", run)
