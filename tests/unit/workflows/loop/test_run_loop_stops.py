"""Login, money, time, people and full disks: what stops a run of `deliver`."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from tests.builders import claimed, deliverable
from tests.unit.workflows.run_harness import (
    ADOPTED,
    BRANCH,
    ENDING,
    HOME,
    OPENING,
    RunHarness,
    did,
    ending,
    make_run_harness,
    turned,
)
from treadle.adapters.agents.replay.agent import ReplayPause, ReplayStep
from treadle.adapters.stores.memory_store import MemoryStore
from treadle.domain.agent import ResponseUsed
from treadle.domain.deliverable import Tally
from treadle.domain.errors import ProjectError, SandboxBroken, StoreError
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.run import RoundFailed
from treadle.domain.events.work import SetupFinished
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


@pytest.fixture
def harness(tmp_path: Path) -> RunHarness:
    made = make_run_harness(tmp_path)
    made.plan(deliverable("DL-1"))
    return made


ONE_PENDING = Tally(total=1)


async def test_a_missing_login_ends_the_run_at_once(harness: RunHarness) -> None:
    harness.wait_for_quota = True
    harness.sessions = [[ending(ExecutionError("not logged in", "authentication"))]]

    ended = await harness.execute()

    assert ended == RunResult("authentication", 1, ONE_PENDING, 0.0, Usage(), 0.0, "not logged in")
    assert harness.types == [*ADOPTED, *OPENING, *ENDING, "round.failed"]


async def test_nothing_is_imported_from_a_sandbox_that_does_not_hold(
    harness: RunHarness,
) -> None:
    harness.sessions = [[harness.wrote("made.txt"), ending(SandboxError("still there"))]]

    ended = await harness.execute()

    assert (ended.reason, ended.message) == ("sandbox_error", "still there")
    assert [name for name in harness.steps if name.startswith("home")] == []
    assert harness.of_type(RoundFailed) == [RoundFailed(1, "still there", 1, 3)]


async def test_nor_when_the_sandbox_breaks_before_a_session(harness: RunHarness) -> None:
    async def prepare() -> None:
        (harness.workspace / "made.txt").write_text("by what is still there")
        raise SandboxBroken("still there")

    harness.prepare = prepare

    with pytest.raises(SandboxBroken):
        await harness.execute()

    assert not {"work.committed", "work.imported"} & set(harness.types)


async def test_a_fault_that_would_come_again_ends_the_run_at_once(harness: RunHarness) -> None:
    harness.sessions = [[ending(ExecutionError("no credit", "fatal"))]]

    assert await harness.execute() == RunResult(
        "error", 1, ONE_PENDING, 0.0, Usage(), 0.0, "no credit"
    )


async def test_a_run_ends_when_its_money_is_spent_in_the_middle_of_a_session(
    harness: RunHarness,
) -> None:
    harness.limit(max_cost_usd=2.5)
    million = Usage(output_tokens=100_000)
    harness.sessions = [
        [ending(cost_usd=1.0)],
        [ResponseUsed("sonnet", million), ResponseUsed("sonnet", million), ending()],
    ]

    ended = await harness.execute()

    assert ended == RunResult(
        "budget_exceeded",
        2,
        ONE_PENDING,
        3.0,
        Usage(output_tokens=200_000),
        0.0,
        "the limit is $2.50 (--max-cost, limits.max_cost_usd)",
    )
    assert harness.outcomes[1] == BudgetExceeded(1.5)
    assert [brief.max_cost_usd for brief in harness.agent.briefs] == [2.5, 1.5]


async def test_a_session_may_cost_no_more_than_its_own_limit(harness: RunHarness) -> None:
    harness.session_limits = replace(harness.session_limits, max_cost_usd=0.5)
    harness.sessions = [
        [ending(BudgetExceeded(0.5), cost_usd=0.5)],
        [harness.wrote("DL-1.py"), turned("DL-1", "passed"), ending()],
    ]

    ended = await harness.execute()

    assert (ended.reason, ended.rounds) == ("all_passed", 2)
    assert harness.of_type(RoundFailed) == []


async def test_a_run_ends_when_its_time_is_over(harness: RunHarness) -> None:
    harness.limit(max_minutes=10)
    harness.sessions = [
        [did(lambda: harness.clock.advance(400)), ending()],
        [did(lambda: harness.clock.advance(200)), ending()],
    ]

    ended = await harness.execute()

    may = "the limit is 10 minutes (--max-minutes, limits.max_minutes)"
    assert ended == RunResult("time_exceeded", 2, ONE_PENDING, 0.0, Usage(), 600.0, may)


async def test_a_session_gets_no_more_time_than_the_run_has_left(harness: RunHarness) -> None:
    harness.limit(max_minutes=10, max_iterations=2)
    harness.session_limits = replace(harness.session_limits, wall_s=500)
    working: list[ReplayStep] = [
        did(lambda: harness.clock.advance(10)),
        ResponseUsed("sonnet", Usage()),
    ]
    harness.sessions = [
        [did(lambda: harness.clock.advance(575)), ending()],
        [*working * 3, ending()],
    ]

    await harness.execute()

    assert harness.outcomes == [Completed("done"), TimedOut("wall", 25.0)]


async def test_a_run_ends_with_its_last_round(harness: RunHarness) -> None:
    harness.limit(max_iterations=2)
    harness.sessions = [[ending()], [ending()], [ending()]]

    ended = await harness.execute()

    may = "the limit is 2 rounds (--max-iterations, limits.max_iterations)"
    assert ended == RunResult("max_iterations", 2, ONE_PENDING, 0.0, Usage(), 0.0, may)
    assert (len(harness.agent.briefs), harness.clock.slept) == (2, [3.0])


async def test_a_run_that_is_stopped_before_it_began_starts_nothing(harness: RunHarness) -> None:
    harness.stop.set()

    ended = await harness.execute()

    assert ended == RunResult("interrupted", 0, ONE_PENDING, 0.0, Usage(), 0.0)
    assert harness.types == ADOPTED


async def test_a_run_that_is_stopped_within_a_session_imports_what_is_there(
    harness: RunHarness,
) -> None:
    async def stopped() -> None:
        harness.stop.set()
        await asyncio.Event().wait()

    harness.sessions = [[harness.wrote("half.py"), ReplayPause(stopped), ending()]]

    ended = await harness.execute()

    assert ended == RunResult("interrupted", 1, ONE_PENDING, 0.0, Usage(), 0.0)
    assert harness.outcomes == [Cancelled()]
    assert harness.types == [*ADOPTED, *OPENING, *ENDING, *HOME]
    assert harness.user.git("show", f"{BRANCH}:half.py") == "text"


async def test_a_log_that_takes_no_more_events_ends_the_run_and_the_progress_is_known(
    harness: RunHarness,
) -> None:
    class Full(MemoryStore):
        def append(
            self, run: RunId, events: Sequence[tuple[datetime, Event]], *, once: str = ""
        ) -> Sequence[RecordedEvent]:
            if any(e.type == "session.started" for _, e in events) and len(harness.events) > 5:
                raise StoreError("no space left")
            return super().append(run, events, once=once)

    harness.store = Full()
    harness.sessions = [[ending(cost_usd=0.5)], [ending()]]

    with pytest.raises(StoreError):
        await harness.execute()

    assert harness.loop is not None
    assert (harness.loop.progress.rounds, harness.loop.progress.cost_usd) == (1, 0.5)


async def test_what_a_session_cost_is_known_even_when_its_work_cannot_be_imported(
    harness: RunHarness,
) -> None:
    used = Usage(output_tokens=100)

    def break_workspace() -> None:
        harness.clock.advance(42)
        harness.user.path.rename(harness.user.path.with_name("moved away"))

    harness.sessions = [
        [ResponseUsed("sonnet", used), did(break_workspace), ending(cost_usd=0.5)],
    ]

    with pytest.raises(ProjectError):
        await harness.execute()

    assert harness.loop is not None
    assert replace(harness.loop.progress, history=()) == RunProgress(
        tally=ONE_PENDING,
        rounds=1,
        cost_usd=0.5,
        usage=used,
        running_s=42.0,
        last=Completed("done"),
    )


async def test_the_time_to_import_work_is_running_time(harness: RunHarness) -> None:
    class Slow(MemoryStore):
        def append(
            self, run: RunId, events: Sequence[tuple[datetime, Event]], *, once: str = ""
        ) -> Sequence[RecordedEvent]:
            if any(event.type == "work.committed" for _, event in events):
                harness.clock.advance(30)
            return super().append(run, events, once=once)

    harness.store = Slow()
    harness.sessions = [
        [
            did(lambda: harness.clock.advance(12)),
            harness.wrote("a.py"),
            turned("DL-1", "passed"),
            ending(),
        ]
    ]

    ended = await harness.execute()

    assert ended == RunResult("all_passed", 1, Tally(passed=1, total=1), 0.0, Usage(), 42.0)
    tip = harness.user.git("rev-parse", BRANCH)
    assert harness.status.read() == (claimed("DL-1", tip),)


async def test_the_time_to_make_the_workspace_ready_is_running_time(harness: RunHarness) -> None:
    async def prepare() -> SetupFinished | None:
        harness.clock.advance(30)
        return None

    # Tried before the first session, and looked at again before each.
    harness.prepare = prepare
    harness.sessions = [[harness.wrote("DL-1.py"), turned("DL-1", "passed"), ending()]]

    ended = await harness.execute()

    assert ended == RunResult("all_passed", 1, Tally(passed=1, total=1), 0.0, Usage(), 60.0)


async def test_a_run_that_is_stopped_while_its_workspace_is_made_ready_begins_no_session(
    harness: RunHarness,
) -> None:
    async def prepare() -> None:
        harness.clock.advance(30)
        harness.stop.set()

    harness.prepare = prepare

    ended = await harness.execute()

    assert ended == RunResult("interrupted", 0, ONE_PENDING, 0.0, Usage(), 30.0)
    assert harness.types == ADOPTED
