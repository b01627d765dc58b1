"""What other processes see and order of stored workflows, the same on every database."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.contracts.engines import BrokenAct, EngineStarter, RecordedActs, location_of, on_database
from tests.postgres import ON_POSTGRES
from treadle.durable.client import cancel, delete_ended_before, enqueue
from treadle.durable.finished_steps import finished_steps
from treadle.durable.port import Json, OwnedElsewhere, Steps, WorkflowCancelled, WorkflowChanged
from treadle.durable.queries import (
    find_workflow,
    move_to_queue,
    unfinished_workflows,
)
from treadle.durable.stored_workflow import PARKED_QUEUE, StoredWorkflow, WorkflowStatus

TOMORROW = timedelta(days=1)


@dataclass(frozen=True)
class Store:
    """A database and two ways to work on it: as a foreground run and as a worker."""

    location: str
    run: EngineStarter
    worker: EngineStarter


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=ON_POSTGRES)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    location = location_of(request.param, request, tmp_path)
    worker = on_database(location, executor="worker-1", queue="shared")
    return Store(location, on_database(location), worker)


async def test_what_is_enqueued_is_run_by_a_worker(store: Store) -> None:
    acts = RecordedActs(held={"one": asyncio.Event()})
    enqueue(store.location, "w", "plain", "x")
    enqueue(store.location, "w", "plain", "a second time changes nothing")
    assert unfinished_workflows(store.location) == [
        StoredWorkflow("w", WorkflowStatus.WAITING, "", "shared")
    ]

    async with store.worker(plain=acts.workflow("one")) as engine:
        await acts.reached.wait()
        assert unfinished_workflows(store.location) == [
            StoredWorkflow("w", WorkflowStatus.RUNNING, "worker-1", "shared")
        ]
        acts.held["one"].set()
        assert await engine.run("w", "plain", None) == ["x", "ONE"]

    assert unfinished_workflows(store.location) == []


async def test_a_workflow_can_run_in_the_foreground_while_it_waits_for_a_worker(
    store: Store,
) -> None:
    acts = RecordedActs()
    enqueue(store.location, "w", "plain", "x")
    async with store.run(plain=acts.workflow("one")) as engine:
        assert await engine.run("w", "plain", None) == ["x", "ONE"]

    assert find_workflow(store.location, "w") == StoredWorkflow(
        "w", WorkflowStatus.FINISHED, "run-1", "run.1"
    )


async def test_a_workflow_that_raised_is_parked_until_it_is_run_or_moved(
    store: Store,
) -> None:
    acts = RecordedActs(broken={"one"})
    enqueue(store.location, "w", "plain", "x")
    async with store.worker(plain=acts.workflow("one")) as engine:
        with pytest.raises(BrokenAct):
            await engine.run("w", "plain", None)
    acts.broken.clear()
    enqueue(store.location, "later", "plain", "y")
    async with store.worker(plain=acts.workflow("one")) as engine:
        assert await engine.run("later", "plain", None) == ["y", "ONE"]

        [parked] = unfinished_workflows(store.location)
        assert parked == StoredWorkflow("w", WorkflowStatus.WAITING, "worker-1", PARKED_QUEUE)
        assert parked.is_parked
        assert move_to_queue(store.location, parked)
        assert await engine.run("w", "plain", None) == ["x", "ONE"]

    assert acts.done == ["one", "one", "one"]


async def test_a_workflow_that_this_version_does_not_know_is_parked(store: Store) -> None:
    enqueue(store.location, "w", "unheard-of", None)
    async with store.worker() as engine:
        with pytest.raises(WorkflowChanged, match="unknown workflow “unheard-of”"):
            await engine.run("w", "unheard-of", None)

    assert [seen.is_parked for seen in unfinished_workflows(store.location)] == [True]


async def test_what_a_closed_engine_had_begun_waits_on_its_queue(store: Store) -> None:
    acts = RecordedActs(held={"two": asyncio.Event()})
    enqueue(store.location, "w", "plain", "x")
    async with store.worker(plain=acts.workflow("one", "two")):
        await acts.reached.wait()
    assert unfinished_workflows(store.location) == [
        StoredWorkflow("w", WorkflowStatus.WAITING, "worker-1", "shared")
    ]

    acts.held.clear()
    async with store.worker(plain=acts.workflow("one", "two")) as engine:
        assert await engine.run("w", "plain", None) == ["x", "ONE", "TWO"]

    assert acts.done == ["one", "two", "two"]


async def test_a_cancelled_run_is_cut_at_once_and_says_so(store: Store) -> None:
    acts = RecordedActs(held={"two": asyncio.Event()})
    async with store.run(plain=acts.workflow("one", "two", "three")) as engine:
        running = asyncio.create_task(engine.run("w", "plain", None))
        await acts.reached.wait()
        await asyncio.to_thread(cancel, store.location, "w")
        with pytest.raises(WorkflowCancelled):
            await running

    assert (acts.done, unfinished_workflows(store.location)) == (["one", "two"], [])


async def test_a_cancelled_run_is_cut_between_two_steps_too(store: Store) -> None:
    acts = RecordedActs()

    async def run_cancelled(steps: Steps, argument: Json) -> Json:
        await steps.step("one", acts.act("one"), returns=str)
        await asyncio.to_thread(cancel, store.location, "w")
        return await steps.step("two", acts.act("two"), returns=str)

    async with store.run(cancelled=run_cancelled) as engine:
        with pytest.raises(WorkflowCancelled):
            await engine.run("w", "cancelled", None)

    assert acts.done == ["one"]


async def test_a_cancelled_workflow_that_is_run_again_continues(store: Store) -> None:
    acts = RecordedActs(broken={"two"})
    async with store.run(plain=acts.workflow("one", "two")) as engine:
        with pytest.raises(BrokenAct):
            await engine.run("w", "plain", "x")
        await asyncio.to_thread(cancel, store.location, "w")
        assert unfinished_workflows(store.location) == []
        acts.broken.clear()
        assert await engine.run("w", "plain", None) == ["x", "ONE", "TWO"]


async def test_cancelling_changes_nothing_about_a_finished_run(store: Store) -> None:
    async with store.run(plain=RecordedActs().workflow("one")) as engine:
        await engine.run("w", "plain", "x")
        await asyncio.to_thread(cancel, store.location, "w")
        assert await engine.run("w", "plain", None) == ["x", "ONE"]


async def test_a_run_that_was_moved_elsewhere_is_cut_here(store: Store) -> None:
    acts = RecordedActs(held={"one": asyncio.Event()})
    async with store.run(plain=acts.workflow("one")) as engine:
        running = asyncio.create_task(engine.run("w", "plain", "x"))
        await acts.reached.wait()
        [seen] = unfinished_workflows(store.location)
        assert move_to_queue(store.location, seen)
        with pytest.raises(OwnedElsewhere):
            await running

    assert unfinished_workflows(store.location) == [
        StoredWorkflow("w", WorkflowStatus.WAITING, "run-1", "shared")
    ]


async def test_a_workflow_that_has_changed_since_it_was_seen_is_not_moved(store: Store) -> None:
    enqueue(store.location, "w", "plain", None)
    [seen] = unfinished_workflows(store.location)
    cancel(store.location, "w")

    assert not move_to_queue(store.location, seen)
    assert unfinished_workflows(store.location) == []


async def test_the_steps_that_finished_are_listed_with_their_times(store: Store) -> None:
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    acts = RecordedActs(broken={"three"})
    async with store.run(plain=acts.workflow("one", "two", "three")) as engine:
        with pytest.raises(BrokenAct):
            await engine.run("w", "plain", None)
    after = datetime.now(UTC)

    first, second = finished_steps(store.location, "w")
    assert [first.name, second.name] == ["one", "two"]
    assert before <= first.started <= second.started <= after
    assert timedelta(0) <= first.duration <= after - before
    assert finished_steps(store.location, "unheard-of") == []


async def test_old_workflows_are_deleted_once_they_have_ended(store: Store) -> None:
    acts = RecordedActs(broken={"bad"})
    async with store.run(plain=acts.workflow("one"), bad=acts.workflow("bad")) as engine:
        await engine.run("finished", "plain", "x")
        with pytest.raises(BrokenAct):
            await engine.run("parked", "bad", None)
        enqueue(store.location, "cancelled", "plain", None)
        cancel(store.location, "cancelled")
    enqueue(store.location, "waiting", "plain", None)

    now = datetime.now(UTC)
    assert delete_ended_before(store.location, now - TOMORROW) == 0
    assert delete_ended_before(store.location, now + TOMORROW) == 2
    assert find_workflow(store.location, "finished") is None
    left = sorted(seen.workflow_id for seen in unfinished_workflows(store.location))
    assert left == ["parked", "waiting"]
    assert finished_steps(store.location, "finished") == []


async def test_the_loop_has_threads_again_after_the_engine_is_closed(store: Store) -> None:
    async with store.run(plain=RecordedActs().workflow("one")) as engine:
        await engine.run("w", "plain", None)

    assert await asyncio.to_thread(lambda: "in a thread") == "in a thread"


async def test_a_process_has_one_engine_at_a_time(store: Store) -> None:
    async with store.run():
        with pytest.raises(RuntimeError, match="open in this process already"):
            async with store.worker():
                pass


async def test_nothing_is_said_on_the_way(store: Store, capfd: pytest.CaptureFixture[str]) -> None:
    acts = RecordedActs(broken={"one"})
    async with store.run(plain=acts.workflow("one")) as engine:
        with pytest.raises(BrokenAct):
            await engine.run("w", "plain", None)

    assert capfd.readouterr() == ("", "")


async def test_a_workflow_that_is_moved_back_to_its_own_worker_runs_once_more_and_ends(
    store: Store,
) -> None:
    told, ended, tellings = asyncio.Event(), asyncio.Event(), list[str]()

    async def run_slowly(steps: Steps, argument: Json) -> Json:
        tellings.append("begun")
        if len(tellings) == 1:
            told.set()
            try:
                await asyncio.Event().wait()
            finally:
                tellings.append("cut")
        ended.set()
        return "finished"

    enqueue(store.location, "w", "slow", None)
    async with store.worker(slow=run_slowly) as engine:
        await told.wait()
        seen = find_workflow(store.location, "w")
        assert seen is not None
        assert move_to_queue(store.location, seen)
        await ended.wait()
        assert await engine.run("w", "slow", None) == "finished"

    assert tellings == ["begun", "cut", "begun"]
    assert find_workflow(store.location, "w") == StoredWorkflow(
        "w", WorkflowStatus.FINISHED, "worker-1", "shared"
    )
