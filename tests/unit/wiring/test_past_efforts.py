"""An estimate is set against earlier runs of the same workflow in the same project."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tests.unit.cli.sample_runs import RUN, STARTED, recorded
from tests.unit.cli.stored_runs import store
from treadle.adapters.stores.database import open_database
from treadle.domain.deliverable import Tally
from treadle.domain.effort import Effort
from treadle.domain.events.run import RunEnded, RunStarted
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.ids import RunId
from treadle.domain.run import RunResult
from treadle.domain.storage import Storage
from treadle.domain.usage import Usage
from treadle.wiring.past_efforts import past_efforts

TASK = replace(STARTED, workflow="task")
HERE = Path("/home/ada/calc")


class PastRuns:
    """Runs as an earlier day left them; the one that is asked for comes last."""

    def __init__(self, root: Path) -> None:
        self.storage = Storage(root)
        self._number = 0

    def end(
        self, cost_usd: float, started: RunStarted = TASK, *, reason: ExitReason = "approved"
    ) -> None:
        self._add(started, RunEnded(RunResult(reason, 3, Tally(), cost_usd, Usage(), 60.0)))

    def elsewhere(self, cost_usd: float) -> None:
        ended = RunEnded(RunResult("approved", 3, Tally(), cost_usd, Usage(), 60.0))
        self._add(TASK, ended, project=Path("/home/ada/other"))

    def _add(self, *events: RunStarted | RunEnded, project: Path = HERE) -> None:
        store(self.storage.root, recorded(events), project, number=self._number)
        self._number += 1

    def known_to(self, started: RunStarted) -> tuple[Effort, ...]:
        """What a run that starts now is told, the newest first."""
        self._add(started)
        run = RunId(f"{RUN[:-1]}{self._number - 1}")
        with closing(open_database(self.storage)) as database:
            return past_efforts(database, self.storage, run)


def test_only_runs_of_the_same_kind_that_did_their_work_are_history(tmp_path: Path) -> None:
    past = PastRuns(tmp_path)
    past.end(1.0)
    past.end(2.0, reason="unproven")
    past.end(4.0, reason="interrupted")
    past.end(8.0, STARTED)
    past.end(16.0, replace(TASK, rehearsal=True))
    past.elsewhere(32.0)

    assert past.known_to(TASK) == (Effort(2.0, 60.0), Effort(1.0, 60.0))


def test_rehearsals_are_the_history_of_rehearsals(tmp_path: Path) -> None:
    past, rehearsed = PastRuns(tmp_path), replace(TASK, rehearsal=True)
    past.end(1.0)
    past.end(2.0, rehearsed)

    assert past.known_to(rehearsed) == (Effort(2.0, 60.0),)
