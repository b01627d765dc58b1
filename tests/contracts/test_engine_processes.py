"""Several processes on one database: killed at any moment, none takes what is another's."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

from tests.contracts import engine_program
from tests.contracts.engines import location_of, on_database
from tests.postgres import ON_POSTGRES
from treadle.durable.client import enqueue
from treadle.durable.finished_steps import finished_steps
from treadle.durable.port import OwnedElsewhere
from treadle.durable.queries import (
    find_workflow,
    move_to_queue,
    unfinished_workflows,
)
from treadle.durable.stored_workflow import StoredWorkflow, WorkflowStatus

pytestmark = pytest.mark.slow


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=ON_POSTGRES)])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return location_of(request.param, request, tmp_path)


@dataclass(frozen=True)
class Process:
    """One `engine_program`: hears what it says, lets it go on, kills it."""

    popen: "subprocess.Popen[str]"
    said: IO[str]
    told: IO[str]

    def hear(self, what: str, about: Any) -> None:
        assert json.loads(self.said.readline()) == [what, about]

    def hear_begun(self, executor: str, *names: str) -> None:
        self.hear("open", executor)
        for name in names:
            self.hear("begun", name)

    def go_on(self) -> None:
        self.told.write("\n")
        self.told.flush()

    def kill(self) -> None:
        self.popen.kill()
        self.popen.wait()

    def end(self) -> list[Any]:
        """What else it says until it ends by itself."""
        rest = [json.loads(line) for line in self.said]
        assert self.popen.wait() == 0
        return rest


Start = Callable[..., Process]


@pytest.fixture
def start(location: str) -> Iterator[Start]:
    started: list[subprocess.Popen[str]] = []

    def begin(executor: str, queue: str, workflow_id: str = "", hold: str = "") -> Process:
        popen = subprocess.Popen(
            [
                sys.executable,
                "-m",
                engine_program.__name__,
                location,
                executor,
                queue,
                workflow_id,
                hold,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(popen)
        assert popen.stdin
        assert popen.stdout
        return Process(popen, popen.stdout, popen.stdin)

    yield begin
    for popen in started:
        with popen:
            popen.kill()


def results_of(workflow_id: str, *executors: str) -> list[str]:
    """The result when each step was acted by the executor in its place."""
    acted = zip(engine_program.STEPS, executors, strict=True)
    return [workflow_id, *(f"{step} by {executor}" for step, executor in acted)]


async def run_here(location: str, workflow_id: str) -> None:
    async with on_database(location)() as engine:
        await engine.run(workflow_id, "three", None)


def test_a_run_that_was_killed_goes_on_with_the_step_it_was_killed_in(
    location: str, start: Start
) -> None:
    first = start("run-1", "run.1", "w", hold="two")
    first.hear_begun("run-1", "one", "two")
    first.kill()
    assert unfinished_workflows(location) == [
        StoredWorkflow("w", WorkflowStatus.RUNNING, "run-1", "")
    ]

    second = start("run-1", "run.1", "w", hold="three")
    second.hear_begun("run-1", "two", "three")
    second.kill()

    results = results_of("w", "run-1", "run-1", "run-1")
    assert start("run-1", "run.1", "w").end() == [
        ["open", "run-1"],
        ["begun", "three"],
        ["finished", results],
        ["result", results],
    ]
    assert [step.name for step in finished_steps(location, "w")] == ["one", "two", "three"]


def test_two_runs_and_a_worker_on_one_database_leave_each_others_work_alone(
    location: str, start: Start
) -> None:
    enqueue(location, "queued", "three", "queued")
    first, worker = (
        start("run-1", "run.1", "w1", hold="two"),
        start("worker-1", "shared", hold="two"),
    )
    first.hear_begun("run-1", "one", "two")
    worker.hear_begun("worker-1", "one", "two")
    first.kill()
    # One that was there before the run was killed, and one that starts afterwards.
    second = start("run-2", "run.2", "w2").end()
    worker.go_on()

    assert second[-1] == ["result", results_of("w2", "run-2", "run-2", "run-2")]
    assert worker.end()[-1] == [
        "finished",
        results_of("queued", "worker-1", "worker-1", "worker-1"),
    ]
    assert unfinished_workflows(location) == [
        StoredWorkflow("w1", WorkflowStatus.RUNNING, "run-1", "")
    ]

    results = results_of("w1", "run-1", "run-1", "run-1")
    assert start("run-1", "run.1", "w1").end() == [
        ["open", "run-1"],
        ["begun", "two"],
        ["begun", "three"],
        ["finished", results],
        ["result", results],
    ]


def test_the_work_of_a_dead_worker_is_moved_once_and_goes_on_elsewhere(
    location: str, start: Start
) -> None:
    enqueue(location, "queued", "three", "queued")
    alive = start("worker-2", "run.2", hold="three")
    dead = start("worker-1", "shared", hold="two")
    dead.hear_begun("worker-1", "one", "two")
    dead.kill()
    [seen] = unfinished_workflows(location)
    assert seen == StoredWorkflow("queued", WorkflowStatus.RUNNING, "worker-1", "shared")
    # Whether it is dead is not for the engine to guess.
    with pytest.raises(OwnedElsewhere, match="worker-1"):
        asyncio.run(run_here(location, "queued"))

    assert move_to_queue(location, seen, queue="run.2")
    alive.hear_begun("worker-2", "two", "three")
    assert not move_to_queue(location, seen, queue="run.2")
    alive.go_on()

    assert alive.end() == [["finished", results_of("queued", "worker-1", "worker-2", "worker-2")]]
    finished = find_workflow(location, "queued")
    assert finished == StoredWorkflow("queued", WorkflowStatus.FINISHED, "worker-2", "run.2")


def test_a_process_whose_run_was_taken_over_while_it_stood_still_stores_nothing_more(
    location: str, start: Start
) -> None:
    enqueue(location, "queued", "three", "queued")
    still, other = start("worker-1", "shared", hold="two"), start("run-2", "run.2", hold="three")
    still.hear_begun("worker-1", "one", "two")
    [seen] = unfinished_workflows(location)
    assert move_to_queue(location, seen, queue="run.2")
    other.hear_begun("run-2", "two", "three")
    # The first one ends its step only now, and what it has is refused.
    still.go_on()
    other.go_on()

    assert other.end() == [["finished", results_of("queued", "worker-1", "run-2", "run-2")]]
    still.kill()
    assert still.said.readlines() == []
