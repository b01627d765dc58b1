"""A run that ended with its work on its branch, in real repositories and a real store."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.builders import run_started
from tests.unit.workspace.real_git import ADA, Repository, repository_in
from treadle.adapters.clock import SystemClock
from treadle.adapters.stores.event_store import EventStore, open_store
from treadle.adapters.stores.recorder import Recorder
from treadle.adapters.stores.run_list import list_runs, run_directory
from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RunEnded
from treadle.domain.ids import RunId, short_id
from treadle.domain.run import RunResult
from treadle.domain.run_row import RunRow
from treadle.domain.usage import Usage
from treadle.runs.clean import CleanMode, clean
from treadle.runs.drop import DropReport, drop_run
from treadle.runs.undo import UndoReport, undo_run
from treadle.settings.environment import Environment, parse_environment
from treadle.workflows.loop.open_workspace import make_workspace
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.workspace_spec import WorkspaceSpec
from treadle.workspace.commit_store import links_folder
from treadle.workspace.object_watch import ObjectWatch
from treadle.workspace.project import find_project

ENDED = RunEnded(RunResult("stuck", 1, Tally(0, 0, 1), 1.0, Usage(), 60.0))
PLACES = {"deliver": "checkout", "task": "branch"}


@dataclass
class StoredRun:
    """One run: its workspace, made by the code that runs use, and the agent in it."""

    harness: "RunsHarness"
    id: RunId
    workspace: RunWorkspace
    branch: str = ""
    ended: bool = False

    @property
    def agent(self) -> Repository:
        home = {**self.harness.user.environment, "HOME": str(self.workspace.path.parent)}
        return Repository(self.workspace.path, home)

    @property
    def row(self) -> RunRow:
        rows = list_runs(self.harness.environment.storage)
        return next(row for row in rows if row.id == self.id)

    @property
    def directory(self) -> Path:
        return run_directory(self.harness.environment.root, self.id)

    async def round(self) -> None:
        """What follows each session."""
        await self.workspace.commit_and_import("Round")
        if self.workspace.imported is not None:
            self.branch = self.workspace.imported.branch

    def watch(self) -> ObjectWatch:
        """What sees the commits of a session; the caller starts and stops it."""
        return ObjectWatch(self.agent.path, links_folder(self.agent.path) / "objects")

    def end(self) -> None:
        self.record(ENDED)
        self.ended = True

    def record(self, *events: Event) -> None:
        self.harness.record(self.id, events)

    async def drop(self) -> DropReport:
        return await drop_run(self.row, self.harness.environment)

    async def undo(self, *, commits_only: bool = False) -> UndoReport:
        return await undo_run(self.row, self.harness.environment, commits_only=commits_only)


@dataclass
class RunsHarness:
    """A user's repository, and the runs of it."""

    user: Repository
    environment: Environment
    runs: list[StoredRun] = field(default_factory=list)
    stores: list[EventStore] = field(default_factory=list)

    @classmethod
    def within(cls, directory: Path) -> "RunsHarness":
        user = repository_in(directory)
        variables = {**user.environment, "TREADLE_ROOT": str(directory / "root")}
        return cls(user, parse_environment(variables))

    async def start(self, workflow: str = "deliver") -> StoredRun:
        project = await find_project(self.user.path, self.user.environment)
        run = RunId(f"0198{len(self.runs):04x}-0000-7000-8000-{len(self.runs):012x}")
        started = replace(
            run_started(run), project=str(project.root), project_key=project.key, workflow=workflow
        )
        self.record(run, [started])
        store = open_store(self.environment.storage)
        self.stores.append(store)
        spec = WorkspaceSpec(
            project=project,
            run=run,
            identity=ADA,
            directory=run_directory(self.environment.root, run),
            credit_patterns=(),
            form="commits",
            log=Recorder(store, run, SystemClock(), ()),
            place=PLACES[workflow],  # type: ignore[arg-type]
        )
        spec.directory.mkdir(parents=True, exist_ok=True)
        workspace = await make_workspace(spec, spec_text="# Work", spec_path="")
        stored = StoredRun(self, run, workspace)
        self.runs.append(stored)
        return stored

    async def land(self, run: StoredRun) -> None:
        await run.workspace.finish("auto", ask=None)

    def record(self, run: RunId, events: Sequence[Event]) -> None:
        with closing(open_store(self.environment.storage)) as store:
            store.append(run, [(datetime.now(UTC), event) for event in events])

    async def clean(self, *, force: bool = False, later: timedelta = timedelta(0)) -> list[str]:
        """Clean all that has ended; what was done with each run."""
        now = datetime.now(UTC) + later + timedelta(seconds=1)
        plans = clean(self.environment, now=now, days=0, mode=CleanMode(force=force))
        return [
            f"{short_id(plan.row.id)} {type(plan.decision).__name__}: {plan.decision.reason}"
            async for plan in plans
        ]

    def close(self) -> None:
        for store in self.stores:
            store.close()
