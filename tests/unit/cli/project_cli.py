"""The command line inside a real project, for tests of commands that change runs."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.builders import Repository
from treadle.adapters.stores.event_store import open_store
from treadle.cli.context import CommandContext
from treadle.cli.main import run_command
from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import Event
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.ids import RunId
from treadle.domain.run_request import RunRequest
from treadle.domain.run_row import RunFilter
from treadle.runs.find import list_project_runs
from treadle.runs.locks import lock_worker
from treadle.runs.request_json import store_request
from treadle.runs.shell_environment import login_of
from treadle.settings.environment import Environment

from .sample_runs import STARTED, ended, recorded
from .stored_runs import store


@dataclass(frozen=True)
class ProjectCli:
    """A real project, and the command line as started inside it."""

    repository: Repository
    environment: Environment

    @property
    def root(self) -> Path:
        return self.environment.root

    def treadle(self, *arguments: str) -> int:
        return run_command(arguments, CommandContext(self.environment, self.repository.path))

    def store_run(self, *events: Event, number: int = 4) -> RunId:
        """A stored run of this project, with what it was asked for beside it."""
        run = store(self.root, recorded(events), self.repository.path, number=number)[0].run
        project = str(self.repository.path)
        flags = {"limits.max_iterations": 2}
        store_request(self.root, RunRequest(run, project, flags, no_sandbox=False, rehearsal=True))
        return run

    def events(self, run: RunId) -> Sequence[Event]:
        with closing(open_store(self.environment.storage)) as kept:
            return [each.event for each in kept.read(run)]

    def states(self) -> list[str]:
        rows = list_project_runs(self.environment.storage, self.repository.path, RunFilter())
        return [row.state for row in rows]

    @contextmanager
    def served(self) -> Iterator[None]:
        """Somebody else is the worker, so no process is started."""
        self.root.mkdir(exist_ok=True)
        with lock_worker(self.root, login_of(self.environment)) as take_place:
            assert take_place()
            yield


def stopped(reason: ExitReason, *, rounds: int = 2, message: str = "") -> tuple[Event, Event]:
    return STARTED, ended(reason, Tally(0, 0, 1), rounds=rounds, message=message)
