"""Quota, login, money, time and people: what stops a run of `deliver`, and what it waits for."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.builders import NOON, FakeClock, deliverable
from treadle.adapters.agents.replay import Pause
from treadle.domain.agent import Fault, ResponseUsed
from treadle.domain.deliverable import Tally
from treadle.domain.errors import StoreError
from treadle.domain.events.log import Event
from treadle.domain.events.run import RoundFailed, RoundStarted, RunPaused
from treadle.domain.events.session import SessionEnded
from treadle.domain.run import RunResult
from treadle.domain.session import (
    BudgetExceeded,
    Cancelled,
    Crashed,
    ExecutionError,
    QuotaExceeded,
    TimedOut,
)
from treadle.domain.usage import Usage

from .story_stage import (
    BRANCH,
    CHANGING,
    ENDING,
    HOME,
    OPENING,
    StoryStage,
    did,
    ending,
    stage_in,
    turned,
)

SIX = datetime(2026, 5, 4, 18, tzinfo=UTC)
LIMIT_TEXT = "You've hit your limit · resets 6pm (UTC)"
LIMITED = Fault(LIMIT_TEXT)


@pytest.fixture
def stage(tmp_path: Path) -> StoryStage:
    made = stage_in(tmp_path)
    made.plan(deliverable("DL-1"))
    return made


ONE_PENDING = Tally(total=1)
ONE_PASSED = Tally(passed=1, total=1)
ONE_PENDING = Tally(total=1)


def outcomes(stage: StoryStage) -> list[object]:
    return [each.result.outcome for each in stage.events if isinstance(each, SessionEnded)]


async def test_a_spent_quota_ends_a_run_that_does_not_wait(stage: StoryStage) -> None:
    stage.sessions = [[stage.wrote("half.py"), ending(LIMITED)]]

    ended = await stage.tell()

    assert ended == RunResult("quota_exceeded", 0, ONE_PENDING, 0.0, Usage(), 0.0, LIMIT_TEXT)
    assert stage.types == [*OPENING, *ENDING, *HOME]
    assert outcomes(stage) == [QuotaExceeded(LIMIT_TEXT, SIX)]
    assert stage.clock.slept == []


@pytest.mark.parametrize(
    ("jitter", "wakes"),
    [
        (0.0, SIX + timedelta(seconds=60)),
        (0.5, SIX + timedelta(seconds=65)),
        (1.0, SIX + timedelta(seconds=70)),
    ],
)
async def test_a_run_that_waits_wakes_a_minute_after_the_reset_and_a_little_later(
    stage: StoryStage, jitter: float, wakes: datetime
) -> None:
    stage.wait_for_quota, stage.jitter = True, jitter
    stage.sessions = [[ending(LIMITED)], [turned("DL-1", "passed"), ending()]]

    ended = await stage.tell()

    assert ended == RunResult("all_passed", 1, ONE_PASSED, 0.0, Usage(), 0.0)
    assert stage.types == [
        *OPENING, *ENDING, "run.paused", "run.resumed", *OPENING, *CHANGING, *ENDING,
    ]  # fmt: skip
    assert stage.of_type(RunPaused) == [RunPaused(LIMIT_TEXT, wakes)]
    assert stage.clock.slept == [(wakes - NOON).total_seconds()]
    assert stage.clock.now() == wakes


async def test_without_a_known_reset_a_run_asks_again_after_half_an_hour(stage: StoryStage) -> None:
    stage.wait_for_quota = True
    unknown = QuotaExceeded("Claude usage limit reached", None)
    stage.sessions = [
        [ending(unknown)],
        [ending(unknown)],
        [turned("DL-1", "passed"), ending()],
    ]

    await stage.tell()

    assert stage.clock.slept == [1800.0, 1800.0]


async def test_a_pause_is_neither_a_round_nor_an_error_nor_running_time(stage: StoryStage) -> None:
    stage.wait_for_quota = True
    stage.limit(max_iterations=3, max_retries=1, max_minutes=1)
    stage.sessions = [
        [ending(Crashed("one", 1))],
        [ending(LIMITED)],
        [ending(LIMITED)],
        [turned("DL-1", "passed"), ending()],
    ]

    ended = await stage.tell()

    assert ended == RunResult("all_passed", 2, ONE_PASSED, 0.0, Usage(), 0.0)
    assert stage.of_type(RoundFailed) == [RoundFailed(1, "one", 1, 1)]
    assert stage.of_type(RoundStarted) == [
        RoundStarted(1, "coding", ONE_PENDING),
        RoundStarted(2, "coding", ONE_PENDING),
        RoundStarted(2, "coding", ONE_PENDING),
        RoundStarted(2, "coding", ONE_PENDING),
    ]


async def test_a_missing_login_ends_the_run_at_once(stage: StoryStage) -> None:
    stage.wait_for_quota = True
    stage.sessions = [[ending(ExecutionError("not logged in", "authentication"))]]

    ended = await stage.tell()

    assert ended == RunResult("authentication", 1, ONE_PENDING, 0.0, Usage(), 0.0, "not logged in")
    assert stage.types == [*OPENING, *ENDING, "round.failed"]


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
        "the run may cost $2.50",
    )
    assert outcomes(stage)[1] == BudgetExceeded(1.5)
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

    assert ended == RunResult(
        "time_exceeded", 2, ONE_PENDING, 0.0, Usage(), 600.0, "the run may take 10 minutes"
    )


async def test_a_session_gets_no_more_time_than_the_run_has_left(stage: StoryStage) -> None:
    stage.limit(max_minutes=10, max_iterations=2)
    stage.session_limits = replace(stage.session_limits, wall_s=500)

    async def silence() -> None:
        await asyncio.Event().wait()

    stage.sessions = [
        [did(lambda: stage.clock.advance(599.99)), ending()],
        [Pause(silence)],
    ]

    await stage.tell()

    assert outcomes(stage)[1] == TimedOut("wall", 0.01)


async def test_a_run_ends_with_its_last_round(stage: StoryStage) -> None:
    stage.limit(max_iterations=2)
    stage.sessions = [[ending()], [ending()], [ending()]]

    ended = await stage.tell()

    assert ended == RunResult(
        "max_iterations", 2, ONE_PENDING, 0.0, Usage(), 0.0, "the run may take 2 rounds"
    )
    assert (len(stage.agent.briefs), stage.clock.slept) == (2, [3.0])


async def test_a_run_that_is_stopped_before_it_began_starts_nothing(stage: StoryStage) -> None:
    stage.stop.set()

    ended = await stage.tell()

    assert ended == RunResult("interrupted", 0, ONE_PENDING, 0.0, Usage(), 0.0)
    assert stage.types == []


async def test_a_run_that_is_stopped_within_a_session_brings_home_what_is_there(
    stage: StoryStage,
) -> None:
    async def stopped() -> None:
        stage.stop.set()
        await asyncio.Event().wait()

    stage.sessions = [[stage.wrote("half.py"), Pause(stopped), ending()]]

    ended = await stage.tell()

    assert ended == RunResult("interrupted", 1, ONE_PENDING, 0.0, Usage(), 0.0)
    assert outcomes(stage) == [Cancelled()]
    assert stage.types == [*OPENING, *ENDING, *HOME]
    assert stage.user.git("show", f"{BRANCH}:half.py") == "text"


@pytest.mark.parametrize("waiting", ["between rounds", "for quota"])
async def test_a_run_that_is_stopped_while_it_waits_starts_no_further_session(
    stage: StoryStage, waiting: str
) -> None:
    stage.wait_for_quota = True
    stage.clock.on_sleep = stage.stop.set
    stage.sessions = [[ending(LIMITED if waiting == "for quota" else None)], [ending()]]

    ended = await stage.tell()

    assert (ended.reason, len(stage.agent.briefs)) == ("interrupted", 1)
    paused = ["run.paused", "run.resumed"] if waiting == "for quota" else []
    assert stage.types == [*OPENING, *ENDING, *paused]


async def test_a_sleep_without_end_is_cut_short_by_a_stop(stage: StoryStage) -> None:
    class SleepsForGood(FakeClock):
        async def sleep(self, seconds: float) -> None:
            stage.stop.set()
            await asyncio.Event().wait()

    stage.clock = SleepsForGood()
    stage.sessions = [[ending()], [ending()]]

    assert (await stage.tell()).reason == "interrupted"


async def test_a_log_that_takes_no_more_events_ends_the_run_and_the_progress_is_known(
    stage: StoryStage,
) -> None:
    kept = stage.events

    class Full(list[Event]):
        def append(self, event: Event) -> None:
            if event.type == "session.started" and len(self) > 5:
                raise StoreError("no space left")
            super().append(event)

    stage.events = Full(kept)
    stage.sessions = [[ending(cost_usd=0.5)], [ending()]]

    with pytest.raises(StoreError):
        await stage.tell()

    assert stage.story is not None
    assert (stage.story.progress.rounds, stage.story.progress.cost_usd) == (1, 0.5)
