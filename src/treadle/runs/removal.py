"""Removes what an old run left, as `domain.retention` decided; what nothing else keeps stays as a
backup."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import assert_never

from treadle.adapters.stores.database import Database
from treadle.adapters.stores.event_store import EventStore
from treadle.adapters.stores.retention import drop_files, drop_log
from treadle.adapters.stores.run_list import run_directory
from treadle.domain.retention import DropRun, DropWork, KeepRun, RetentionDecision
from treadle.domain.run_row import RunRow
from treadle.domain.stored_path import path_from
from treadle.runs.drop import clone_exists, drop_locked, run_clone
from treadle.runs.work_log import WorkLog, read_work_log
from treadle.settings.environment import Environment
from treadle.workflows.registry import WORKFLOWS, find_workflow
from treadle.workspace.alternates import lent_folder
from treadle.workspace.backups import back_up
from treadle.workspace.commit_store import keep_dropped_commits, store_folder
from treadle.workspace.disk import remove
from treadle.workspace.merge_search import delete_merged_branch
from treadle.workspace.project import Project, find_project
from treadle.workspace.work_backup import delete_refs, has_store


@dataclass(frozen=True, slots=True)
class Removal:
    """The removal of one run; the caller holds its lock."""

    environment: Environment
    store: EventStore
    database: Database
    row: RunRow
    now: datetime

    @property
    def _directory(self) -> Path:
        return run_directory(self.environment.root, self.row.id)

    @property
    def _commits(self) -> Path:
        return store_folder(self._directory / "workspace")

    async def leaves_backup(self, decision: RetentionDecision) -> bool:
        """Whether `treadle undo` can bring something back afterwards."""
        match decision:
            case DropWork():
                return True
            case KeepRun():
                return False
            case DropRun(expired=expired):
                return not expired and has_store(self._commits)
            case _:
                assert_never(decision)

    async def remove(self, decision: DropRun | DropWork) -> None:
        """Backups first, then the log, then files."""
        if isinstance(decision, DropWork):
            await drop_locked(self.row, self.environment, self.store)
            return
        log = read_work_log(self.store, self.row.id)
        if log.prepared is not None:
            project = await find_project(path_from(self.row.project_path), self.environment.raw)
            if decision.expired:
                await _delete_backups(project, log)
            else:
                await self._keep_the_rest(project, log)
                for branch in log.branches:
                    await delete_merged_branch(project, self.row.id, branch)
        # In a thread, because a clone may be large and other runs share this process.
        was_reopened = not await asyncio.to_thread(
            drop_log, self.database, self.row.id, self.now, keep=self._lasting_events()
        )
        if not was_reopened:
            kept = () if decision.expired or not has_store(self._commits) else self._kept_names()
            await asyncio.to_thread(
                drop_files, self.environment.root, self.row.id, remove, keep=kept
            )

    def _lasting_events(self) -> tuple[str, ...]:
        workflow = self.row.workflow
        return find_workflow(workflow).lasting_events if workflow in WORKFLOWS else ()

    def _kept_names(self) -> tuple[str, ...]:
        return self._commits.name, lent_folder(self._directory).name

    async def _keep_the_rest(self, project: Project, log: WorkLog) -> None:
        """Keep commits that a killed session dropped, and the last import, if no ref has them."""
        if log.prepared is None:
            return
        last = log.imported.commit if log.imported else log.prepared.snapshot
        if clone_exists(log.prepared):
            await keep_dropped_commits(await run_clone(project, log.prepared), self.row.id, last)
        kept = await project.git.try_run("for-each-ref", "--count=1", "--contains", last)
        if kept.ok and not kept.output:
            await back_up(project, self.row.id, last)


async def _delete_backups(project: Project, log: WorkLog) -> None:
    if log.dropped is not None:
        refs = {each.ref: each.commit for each in log.dropped.branches}
        await delete_refs(project, refs)
