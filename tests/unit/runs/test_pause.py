"""Whom `pause` asks to end: the run itself, or the queue that would start it again."""

from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builders import RUN, run_started
from treadle.adapters.stores.control_requests import ControlRequests
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.run_list import find_run
from treadle.domain.errors import UsageError
from treadle.domain.ids import RunId
from treadle.domain.run_row import RunRow
from treadle.runs.cancel import pause
from treadle.runs.locks import lock_orphan
from treadle.settings.environment import Environment, parse_environment

from .test_cancel import ProjectStore

QUEUE = RunId(RUN.replace("9", "8"))


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return parse_environment({"HOME": str(tmp_path), "TREADLE_ROOT": str(tmp_path / "root")})


def stored(environment: Environment, queue: RunId | None) -> RunRow:
    ProjectStore(environment).record(replace(run_started(), queue=queue))
    return find_run(environment.storage, RUN)


@pytest.mark.parametrize(
    ("queue", "alive", "paused"),
    [
        pytest.param(None, [RUN], RUN, id="a run"),
        pytest.param(QUEUE, [RUN, QUEUE], QUEUE, id="an item of a queue at work"),
        pytest.param(QUEUE, [RUN], RUN, id="an item that was resumed without its queue"),
    ],
)
def test_the_run_that_is_asked_is_the_one_that_ends(
    environment: Environment, queue: RunId | None, alive: list[RunId], paused: RunId
) -> None:
    row = stored(environment, queue)

    with ExitStack() as held:
        for run in alive:
            assert held.enter_context(lock_orphan(environment.root, run))
        assert pause(row, environment) == paused

    with closing(open_database(environment.storage)) as database:
        asked = {run: ControlRequests(database).find_oldest(run) for run in (RUN, QUEUE)}
    assert [run for run, request in asked.items() if request is not None] == [paused]


def test_a_run_without_a_process_is_not_paused(environment: Environment) -> None:
    with pytest.raises(UsageError, match="no process works on run 9abcdef0"):
        pause(stored(environment, None), environment)
