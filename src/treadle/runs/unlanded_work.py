"""Finds the newest work of a project that is on its branch and not in the checkout."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from treadle.adapters.stores.event_store import open_store
from treadle.domain.events.work import WorkKept
from treadle.domain.ports import Store
from treadle.domain.run_row import RunRow, UnlandedRun
from treadle.runs.finished_work import work_of
from treadle.settings.environment import Environment
from treadle.workflows.registry import WORKFLOWS, find_workflow
from treadle.workspace.project import find_project


async def find_unlanded(
    environment: Environment, directory: Path, rows: Iterable[RunRow]
) -> UnlandedRun | None:
    """The newest; none if newer work has landed, or the branch is gone or merged."""
    candidates = list(_candidates(rows))
    if not candidates:
        return None
    git = (await find_project(directory, environment.raw)).git
    head = await git.commit_of("HEAD")
    with closing(open_store(environment.storage)) as store:
        for row in candidates:
            if work_of(store, row) is None:
                continue
            tip = await git.commit_of(f"refs/heads/{row.branch}")
            if tip is None:
                continue
            if head is not None and await git.is_ancestor(tip, head):
                return None
            return UnlandedRun(row, _reason(store, row))
    return None


def _candidates(rows: Iterable[RunRow]) -> Iterator[RunRow]:
    for row in rows:
        place = find_workflow(row.workflow).place if row.workflow in WORKFLOWS else "checkout"
        # What landed beside them says nothing of what others have left.
        if row.landed and place != "specs":
            return
        if row.may_be_unlanded and place != "branch":
            yield row


def _reason(store: Store, row: RunRow) -> str:
    kept = [each.event for each in store.read(row.id, types=("work.kept",))]
    last = kept[-1] if kept else None
    return last.reason if isinstance(last, WorkKept) else "the run ended before it could land"
