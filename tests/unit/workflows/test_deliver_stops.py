"""Login, money, time, people and full disks: what stops a run of `deliver`."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from tests.builders import claimed, deliverable
from treadle.adapters.agents.replay.agent import ReplayPause, ReplayStep
from treadle.adapters.stores.memory_store import MemoryStore
from treadle.domain.agent import ResponseUsed
from treadle.domain.deliverable import Tally
from treadle.domain.errors import ProjectError, SandboxBroken, StoreError
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.run import RoundFailed
from treadle.domain.ids import RunId
from treadle.domain.run import RunResult
from treadle.domain.session import (
    BudgetExceeded,
    Cancelled,
    Completed,
    ExecutionError,
    SandboxError,
    TimedOut,
)
from treadle.domain.usage import Usage
from treadle.workflows.loop.run_progress import RunProgress

from .story_stage import (
    ADOPTED,
    BRANCH,
    ENDING,
    HOME,
    OPENING,
    StoryStage,
    did,
    ending,
    stage_in,
    turned,
)


@pytest.fixture
def stage(tmp_path: Path) -> StoryStage:
    made = stage_in(tmp_path)
    made.plan(deliverable("DL-1"))
    return made


ONE_PENDING = Tally(total=1)


async def test_a_missing_login_ends_the_run_at_once(stage: StoryStage) -> None:
    stage.wait_for_quota = True
    stage.sessions = [[ending(ExecutionError("not logged in", "authentication"))]]

    ended = await stage.tell()

    assert ended == RunResult("authentication", 1, ONE_PENDING, 0.0, Usage(), 0.0, "not logged in")
    assert stage.types == [*ADOPTED, *OPENING, *ENDING, "round.failed"]


async def test_nothing_is_brought_home_from_a_sandbox_that_does_not_hold(
    stage: StoryStage,
) -> None:
    stage.sessions = [[stage.wrote("made.txt"), ending(SandboxError("still there"))]]

    ended = await stage.tell()

    assert (ended.reason, ended.message) == ("sandbox_error", "still there")
    assert [name for name in stage.steps if name.startswith("home")] == []
    assert stage.of_type(RoundFailed) == [RoundFailed(1, "still there", 1, 3)]


async def test_nor_when_the_sandbox_breaks_before_a_session(stage: StoryStage) -> None:
    async def prepare() -> None:
        (stage.workspace / "made.txt").write_text("by what is still there")
        raise SandboxBroken("still there")

    stage.prepare = prepare

    with pytest.raises(SandboxBroken):
        await stage.tell()

    assert not {"work.committed", "work.imported"} & set(stage.types)


async def test_a_fault_that_would_come_again_ends_the_run_at_once(stage: StoryStage) -> None:
    stage.sessions = [[ending(ExecutionError("no credit", "fatal"))]]

    assert await stage.tell() == RunResult("error", 1, ONE_PENDING, 0.0, Usage(), 0.0, "no credit")


async def test_a_run_ends_when_its_money_is_spent_in_the_middle_of_a_session(
    stage: StoryStage,
) -> None:
    stage.limit(max_cost_usd=2.5)
    million = Usage(output_tokens=100_000)
    stage.sessions = [
        [ending(cost_usd=1.0)],
        [ResponseUsed("sonnet", million), ResponseUsed("sonnet", million), ending()],
    ]

    ended = await stage.tell()

    assert ended == RunResult(
        "budget_exceeded",
        2,
        ONE_PENDING,
        3.0,
        Usage(output_tokens=200_000),
        0.0,
        "the run may cost $2.50 (--max-cost, limits.max_cost_usd)",
    )
    assert stage.outcomes[1] == BudgetExceeded(1.5)
    assert [brief.max_cost_usd for brief in stage.agent.briefs] == [2.5, 1.5]


async def test_a_session_may_cost_no_more_than_its_own_limit(stage: StoryStage) -> None:
    stage.session_limits = replace(stage.session_limits, max_cost_usd=0.5)
    stage.sessions = [
        [ending(BudgetExceeded(0.5), cost_usd=0.5)],
        [turned("DL-1", "passed"), ending()],
    ]

    ended = await stage.tell()

    assert (ended.reason, ended.rounds) == ("all_passed", 2)
    assert stage.of_type(RoundFailed) == []


async def test_a_run_ends_when_its_time_is_over(stage: StoryStage) -> None:
    stage.limit(max_minutes=10)
    stage.sessions = [
        [did(lambda: stage.clock.advance(400)), ending()],
        [did(lambda: stage.clock.advance(200)), ending()],
    ]

    ended = await stage.tell()

    may = "the run may take 10 minutes (--max-minutes, limits.max_minutes)"
    assert ended == RunResult("time_exceeded", 2, ONE_PENDING, 0.0, Usage(), 600.0, may)


async def test_a_session_gets_no_more_time_than_the_run_has_left(stage: StoryStage) -> None:
    stage.limit(max_minutes=10, max_iterations=2)
    stage.session_limits = replace(stage.session_limits, wall_s=500)
    working: list[ReplayStep] = [
        did(lambda: stage.clock.advance(10)),
        ResponseUsed("sonnet", Usage()),
    ]
    stage.sessions = [
        [did(lambda: stage.clock.advance(575)), ending()],
        [*working * 3, ending()],
    ]

    await stage.tell()

    assert stage.outcomes == [Completed("done"), TimedOut("wall", 25.0)]


async def test_a_run_ends_with_its_last_round(stage: StoryStage) -> None:
    stage.limit(max_iterations=2)
    stage.sessions = [[ending()], [ending()], [ending()]]

    ended = await stage.tell()

    may = "the run may take 2 rounds (--max-iterations, limits.max_iterations)"
    assert ended == RunResult("max_iterations", 2, ONE_PENDING, 0.0, Usage(), 0.0, may)
    assert (len(stage.agent.briefs), stage.clock.slept) == (2, [3.0])


async def test_a_run_that_is_stopped_before_it_began_starts_nothing(stage: StoryStage) -> None:
    stage.stop.set()

    ended = await stage.tell()

    assert ended == RunResult("interrupted", 0, ONE_PENDING, 0.0, Usage(), 0.0)
    assert stage.types == ADOPTED


async def test_a_run_that_is_stopped_within_a_session_brings_home_what_is_there(
    stage: StoryStage,
) -> None:
    async def stopped() -> None:
        stage.stop.set()
        await asyncio.Event().wait()

    stage.sessions = [[stage.wrote("half.py"), ReplayPause(stopped), ending()]]

    ended = await stage.tell()

    assert ended == RunResult("interrupted", 1, ONE_PENDING, 0.0, Usage(), 0.0)
    assert stage.outcomes == [Cancelled()]
    assert stage.types == [*ADOPTED, *OPENING, *ENDING, *HOME]
    assert stage.user.git("show", f"{BRANCH}:half.py") == "text"


async def test_a_log_that_takes_no_more_events_ends_the_run_and_the_progress_is_known(
    stage: StoryStage,
) -> None:
    class Full(MemoryStore):
        def append(
            self, run: RunId, events: Sequence[tuple[datetime, Event]], *, once: str = ""
        ) -> Sequence[RecordedEvent]:
            if any(e.type == "session.started" for _, e in events) and len(stage.events) > 5:
                raise StoreError("no space left")
            return super().append(run, events, once=once)

    stage.store = Full()
    stage.sessions = [[ending(cost_usd=0.5)], [ending()]]

    with pytest.raises(StoreError):
        await stage.tell()

    assert stage.story is not None
    assert (stage.story.progress.rounds, stage.story.progress.cost_usd) == (1, 0.5)


async def test_what_a_session_cost_is_known_even_when_its_work_cannot_be_brought_home(
    stage: StoryStage,
) -> None:
    used = Usage(output_tokens=100)

    def break_workspace() -> None:
        stage.clock.advance(42)
        stage.user.path.rename(stage.user.path.with_name("moved away"))

    stage.sessions = [
        [ResponseUsed("sonnet", used), did(break_workspace), ending(cost_usd=0.5)],
    ]

    with pytest.raises(ProjectError):
        await stage.tell()

    assert stage.story is not None
    assert replace(stage.story.progress, history=()) == RunProgress(
        tally=ONE_PENDING,
        rounds=1,
        cost_usd=0.5,
        usage=used,
        running_s=42.0,
        last=Completed("done"),
    )


async def test_the_time_to_bring_work_home_is_running_time(stage: StoryStage) -> None:
    class Slow(MemoryStore):
        def append(
            self, run: RunId, events: Sequence[tuple[datetime, Event]], *, once: str = ""
        ) -> Sequence[RecordedEvent]:
            if any(event.type == "work.committed" for _, event in events):
                stage.clock.advance(30)
            return super().append(run, events, once=once)

    stage.store = Slow()
    stage.sessions = [
        [
            did(lambda: stage.clock.advance(12)),
            stage.wrote("a.py"),
            turned("DL-1", "passed"),
            ending(),
        ]
    ]

    ended = await stage.tell()

    assert ended == RunResult("all_passed", 1, Tally(passed=1, total=1), 0.0, Usage(), 42.0)
    tip = stage.user.git("rev-parse", BRANCH)
    assert stage.status.read() == (claimed("DL-1", tip),)


async def test_the_time_to_make_the_workspace_ready_is_running_time(stage: StoryStage) -> None:
    async def prepare() -> None:
        stage.clock.advance(30)

    stage.prepare = prepare
    stage.sessions = [[turned("DL-1", "passed"), ending()]]

    ended = await stage.tell()

    assert ended == RunResult("all_passed", 1, Tally(passed=1, total=1), 0.0, Usage(), 30.0)


async def test_a_run_that_is_stopped_while_its_workspace_is_made_ready_begins_no_session(
    stage: StoryStage,
) -> None:
    async def prepare() -> None:
        stage.clock.advance(30)
        stage.stop.set()

    stage.prepare = prepare

    ended = await stage.tell()

    assert ended == RunResult("interrupted", 0, ONE_PENDING, 0.0, Usage(), 30.0)
    assert stage.types == ADOPTED
