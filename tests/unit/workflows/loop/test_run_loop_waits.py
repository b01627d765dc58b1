"""What a run of `deliver` waits for: the quota, the next round, and trouble to pass."""

import asyncio
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from tests.builders import NOON, FakeClock, deliverable
from tests.unit.workflows.run_harness import (
    ADOPTED,
    CHANGING,
    ENDING,
    HOME,
    OPENING,
    RunHarness,
    ending,
    make_run_harness,
    turned,
)
from treadle.domain.agent import Fault
from treadle.domain.deliverable import Tally
from treadle.domain.events.run import RoundFailed, RoundStarted, RunPaused
from treadle.domain.run import RunResult
from treadle.domain.session import Crashed, ExecutionError, MaxTurns, QuotaExceeded
from treadle.domain.usage import Usage
from treadle.workflows.loop.limit_checks import MAX_WAITS
from treadle.workflows.loop.run_progress import RunProgress

SIX = datetime(2026, 5, 4, 18, tzinfo=UTC)
LIMIT_TEXT = "You've hit your limit · resets 6pm (UTC)"
LIMITED = Fault(LIMIT_TEXT)
LONGEST_SLEEP_S = 60.0
ONE_PENDING = Tally(total=1)
ONE_PASSED = Tally(passed=1, total=1)


@pytest.fixture
def harness(tmp_path: Path) -> RunHarness:
    made = make_run_harness(tmp_path)
    made.plan(deliverable("DL-1"))
    return made


def delays_between_rounds(harness: RunHarness) -> list[float]:
    """Seconds by the wall clock; sessions take no time here."""
    recorded = harness.store.read(harness.run)
    times = [each.at for each in recorded if isinstance(each.event, RoundStarted)]
    return [(after - before).total_seconds() for before, after in pairwise(times)]


async def test_a_spent_quota_ends_a_run_that_does_not_wait(harness: RunHarness) -> None:
    harness.sessions = [[harness.wrote("half.py"), ending(LIMITED)]]

    ended = await harness.execute()

    assert ended == RunResult("quota_exceeded", 0, ONE_PENDING, 0.0, Usage(), 0.0, LIMIT_TEXT)
    assert harness.types == [*ADOPTED, *OPENING, *ENDING, *HOME]
    assert harness.outcomes == [QuotaExceeded(LIMIT_TEXT, SIX)]
    assert harness.clock.slept == []


@pytest.mark.parametrize(
    ("jitter", "wakes"),
    [
        (0.0, SIX + timedelta(seconds=60)),
        (0.5, SIX + timedelta(seconds=65)),
        (1.0, SIX + timedelta(seconds=70)),
    ],
)
async def test_a_run_that_waits_wakes_a_minute_after_the_reset_and_a_little_later(
    harness: RunHarness, jitter: float, wakes: datetime
) -> None:
    harness.wait_for_quota, harness.jitter = True, jitter
    harness.sessions = [
        [ending(LIMITED)],
        [harness.wrote("DL-1.py"), turned("DL-1", "passed"), ending()],
    ]

    ended = await harness.execute()

    assert ended == RunResult("all_passed", 1, ONE_PASSED, 0.0, Usage(), 0.0)
    assert harness.types == [
        *ADOPTED, *OPENING, *ENDING, "run.paused", "run.resumed",
        *OPENING, *CHANGING, *ENDING, *HOME,
    ]  # fmt: skip
    assert harness.of_type(RunPaused) == [RunPaused(LIMIT_TEXT, wakes)]
    assert sum(harness.clock.slept) == (wakes - NOON).total_seconds()
    assert harness.clock.now() == wakes


async def test_without_a_known_reset_a_run_asks_again_after_half_an_hour_and_a_minute(
    harness: RunHarness,
) -> None:
    harness.wait_for_quota = True
    unknown = QuotaExceeded("Claude usage limit reached", None)
    harness.sessions = [
        [ending(unknown)],
        [ending(unknown)],
        [turned("DL-1", "passed"), ending()],
    ]

    await harness.execute()

    assert harness.clock.now() == NOON + timedelta(minutes=62)
    assert harness.of_type(RunPaused) == [
        RunPaused("Claude usage limit reached", NOON + timedelta(minutes=31)),
        RunPaused("Claude usage limit reached", NOON + timedelta(minutes=62)),
    ]


async def test_a_pause_is_made_of_short_sleeps_and_ends_by_the_wall_clock(
    harness: RunHarness,
) -> None:
    harness.wait_for_quota, harness.jitter = True, 0.5
    harness.sessions = [[ending(LIMITED)], [turned("DL-1", "passed"), ending()]]

    await harness.execute()

    assert max(harness.clock.slept) <= LONGEST_SLEEP_S
    assert harness.clock.now() == SIX + timedelta(seconds=65)


async def test_a_machine_that_slept_through_the_reset_has_waited_too(harness: RunHarness) -> None:
    harness.wait_for_quota = True
    harness.clock.on_sleep = lambda: harness.clock.advance(7 * 3600)
    harness.sessions = [
        [ending(LIMITED)],
        [harness.wrote("DL-1.py"), turned("DL-1", "passed"), ending()],
    ]

    ended = await harness.execute()

    assert (ended.reason, len(harness.clock.slept)) == ("all_passed", 1)


async def test_a_run_does_not_wait_for_quota_for_ever(harness: RunHarness) -> None:
    harness.wait_for_quota = True
    harness.progress = RunProgress(waits=MAX_WAITS - 1)
    harness.sessions = [[ending(LIMITED)], [ending(LIMITED)], [ending()]]

    ended = await harness.execute()

    assert ended == RunResult(
        "quota_exceeded",
        0,
        ONE_PENDING,
        0.0,
        Usage(),
        0.0,
        f"{LIMIT_TEXT} (after 50 pauses in a row)",
    )
    assert harness.types == [
        *ADOPTED, *OPENING, *ENDING, "run.paused", "run.resumed", *OPENING, *ENDING,
    ]  # fmt: skip


async def test_a_session_that_gets_through_gives_the_run_all_its_pauses_back(
    harness: RunHarness,
) -> None:
    harness.wait_for_quota = True
    harness.limit(max_iterations=2)
    harness.progress = RunProgress(waits=MAX_WAITS - 1)
    harness.sessions = [[ending(LIMITED)], [ending()], [ending(LIMITED)], [ending()]]

    ended = await harness.execute()

    assert (ended.reason, len(harness.of_type(RunPaused))) == ("max_iterations", 2)


async def test_a_pause_is_neither_a_round_nor_an_error_nor_running_time(
    harness: RunHarness,
) -> None:
    harness.wait_for_quota = True
    harness.limit(max_iterations=3, max_retries=1, max_minutes=1)
    harness.sessions = [
        [ending(Crashed("one", 1))],
        [ending(LIMITED)],
        [ending(LIMITED)],
        [harness.wrote("DL-1.py"), turned("DL-1", "passed"), ending()],
    ]

    ended = await harness.execute()

    assert ended == RunResult("all_passed", 2, ONE_PASSED, 0.0, Usage(), 0.0)
    assert harness.of_type(RoundFailed) == [RoundFailed(1, "one", 1, 1)]
    assert harness.of_type(RoundStarted) == [
        RoundStarted(1, "coding"),
        RoundStarted(2, "coding"),
        RoundStarted(2, "coding"),
        RoundStarted(2, "coding"),
    ]


@pytest.mark.parametrize("waiting", ["between rounds", "for quota"])
async def test_a_run_that_is_stopped_while_it_waits_starts_no_further_session(
    harness: RunHarness, waiting: str
) -> None:
    harness.wait_for_quota = True
    harness.clock.on_sleep = harness.stop.set
    harness.sessions = [[ending(LIMITED if waiting == "for quota" else None)], [ending()]]

    ended = await harness.execute()

    assert (ended.reason, len(harness.agent.briefs)) == ("interrupted", 1)
    paused = ["run.paused"] if waiting == "for quota" else []
    assert harness.types == [*ADOPTED, *OPENING, *ENDING, *paused]


async def test_a_sleep_without_end_is_cut_short_by_a_stop(harness: RunHarness) -> None:
    class SleepsForGood(FakeClock):
        async def sleep(self, seconds: float) -> None:
            harness.stop.set()
            await asyncio.Event().wait()

    harness.clock = SleepsForGood()
    harness.sessions = [[ending()], [ending()]]

    assert (await harness.execute()).reason == "interrupted"


async def test_the_delay_is_kept_between_rounds_and_only_there(harness: RunHarness) -> None:
    harness.sessions = [[ending()], [ending(MaxTurns(50))], [turned("DL-1", "passed"), ending()]]

    await harness.execute()

    assert delays_between_rounds(harness) == [3.0, 3.0]
    assert sum(harness.clock.slept) == 6.0


@pytest.mark.parametrize(
    ("backoff_s", "jitter", "delays"),
    [
        # twice as long each time, from a half to the whole by jitter
        (10.0, 0.0, [5.0, 10.0, 20.0, 3.0]),
        (10.0, 0.5, [7.5, 15.0, 30.0, 3.0]),
        (10.0, 1.0, [10.0, 20.0, 40.0, 3.0]),
        # never less than between other rounds
        (2.0, 0.0, [3.0, 3.0, 4.0, 3.0]),
        (0.0, 1.0, [3.0, 3.0, 3.0, 3.0]),
        # never more than five minutes
        (200.0, 1.0, [200.0, 300.0, 300.0, 3.0]),
        (1000.0, 0.0, [150.0, 150.0, 150.0, 3.0]),
    ],
)
async def test_the_delay_grows_with_failures_in_a_row_and_shrinks_after_success(
    harness: RunHarness, backoff_s: float, jitter: float, delays: list[float]
) -> None:
    harness.backoff_s, harness.jitter = backoff_s, jitter
    harness.sessions = [
        [ending(Crashed("one", 1))],
        [ending(ExecutionError("two", "retryable"))],
        [ending(Crashed("three", 1))],
        [ending()],
        [turned("DL-1", "passed"), ending()],
    ]

    await harness.execute()

    assert delays_between_rounds(harness) == delays
