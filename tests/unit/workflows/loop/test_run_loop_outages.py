"""A run outlives a model service that fails for a while, and a login that it refuses once."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import UnionType
from typing import TypeVar

import pytest

from tests.builders import NOON, deliverable
from tests.unit.workflows.run_harness import (
    RunHarness,
    ending,
    make_run_harness,
    turned,
)
from treadle.adapters.agents.replay.agent import ReplayStep
from treadle.domain.agent import Fault
from treadle.domain.deliverable import Tally
from treadle.domain.events.run import RoundFailed, RoundStarted, RunPaused
from treadle.domain.run import RunResult
from treadle.domain.session import ExecutionError, QuotaExceeded
from treadle.domain.usage import Usage
from treadle.durable.port import Steps

T = TypeVar("T")

ONE_PASSED = Tally(passed=1, total=1)
OVERLOADED = "API Error: 529 Overloaded"
DOWN = Fault(OVERLOADED, api_status=529)
FORBIDDEN = Fault("Failed to authenticate. API Error: 403 Request not allowed", api_status=403)
NOT_LOGGED_IN = Fault("Not logged in · Please run /login")


@pytest.fixture
def harness(tmp_path: Path) -> RunHarness:
    made = make_run_harness(tmp_path)
    made.plan(deliverable("DL-1"))
    return made


def finishing(harness: RunHarness) -> list[ReplayStep]:
    return [harness.wrote("DL-1.py"), turned("DL-1", "passed"), ending()]


async def test_an_outage_of_forty_minutes_spends_neither_rounds_nor_retries(
    harness: RunHarness,
) -> None:
    harness.limit(max_iterations=1, max_retries=0, max_minutes=1)
    harness.sessions = [*[[ending(DOWN)]] * 12, finishing(harness)]

    ended = await harness.execute()

    assert ended == RunResult("all_passed", 1, ONE_PASSED, 0.0, Usage(), 0.0)
    assert harness.of_type(RoundFailed) == []
    assert set(harness.of_type(RoundStarted)) == {RoundStarted(1, "coding")}
    assert harness.clock.now() - NOON > timedelta(minutes=40)


async def test_the_pauses_grow_name_the_service_and_end_with_the_outage(
    harness: RunHarness,
) -> None:
    harness.jitter, harness.backoff_s = 1.0, 10.0
    harness.sessions = [[ending(DOWN)], [ending(DOWN)], finishing(harness)]

    await harness.execute()

    first = NOON + timedelta(seconds=10)
    second = first + timedelta(seconds=20)
    assert harness.of_type(RunPaused) == [
        RunPaused(f"model API: {OVERLOADED}", first),
        RunPaused(f"model API: {OVERLOADED}", second),
    ]


async def test_an_outage_that_lasts_longer_than_its_limit_ends_the_run(
    harness: RunHarness,
) -> None:
    harness.limit(outage_hours=1.0)
    harness.sessions = [[ending(DOWN)]] * 100

    ended = await harness.execute()

    message = f"{OVERLOADED} (waited for 1 h: limits.outage_hours)"
    assert ended == RunResult("service_unavailable", 0, Tally(total=1), 0.0, Usage(), 0.0, message)
    waited = harness.clock.now() - NOON
    assert timedelta(hours=1) <= waited < timedelta(hours=1, minutes=10)


async def test_a_session_that_works_ends_the_outage(harness: RunHarness) -> None:
    harness.limit(outage_hours=0.1)
    outage = [[ending(DOWN)]] * 3
    harness.sessions = [*outage, [ending()], *outage, [ending()], *outage, finishing(harness)]

    ended = await harness.execute()

    assert (ended.reason, ended.rounds) == ("all_passed", 3)


async def test_the_next_session_continues_the_conversation_that_was_cut(
    harness: RunHarness,
) -> None:
    harness.sessions = [[ending(DOWN)], [ending(DOWN)], [ending()], finishing(harness)]

    await harness.execute()

    first, second, third, _ = (brief.session for brief in harness.agent.briefs)
    assert [brief.continues for brief in harness.agent.briefs] == [None, first, second, None]
    assert len({first, second, third}) == 3


async def test_a_login_that_is_refused_once_is_asked_for_once_more(harness: RunHarness) -> None:
    harness.sessions = [[ending(FORBIDDEN)], finishing(harness)]

    ended = await harness.execute()

    assert ended == RunResult("all_passed", 1, ONE_PASSED, 0.0, Usage(), 0.0)


@pytest.mark.parametrize(
    ("faults", "sessions"),
    [([FORBIDDEN, FORBIDDEN], 2), ([NOT_LOGGED_IN], 1), ([FORBIDDEN, NOT_LOGGED_IN], 2)],
)
async def test_a_login_that_is_truly_refused_ends_the_run(
    harness: RunHarness, faults: list[Fault], sessions: int
) -> None:
    harness.sessions = [*([ending(fault)] for fault in faults), finishing(harness)]

    ended = await harness.execute()

    assert (ended.reason, len(harness.agent.briefs)) == ("authentication", sessions)


async def test_usage_that_no_reset_brings_back_is_not_waited_for(harness: RunHarness) -> None:
    harness.wait_for_quota = True
    message = "Opus 5.5 requires usage credits"
    harness.sessions = [[ending(QuotaExceeded(message, None))], finishing(harness)]

    ended = await harness.execute()

    assert (ended.reason, ended.message) == ("quota_exceeded", message)
    assert harness.outcomes == [QuotaExceeded(message, None, lasts=True)]
    assert harness.clock.slept == []


@dataclass(frozen=True)
class StepsOfBefore:
    """The steps of a run whose log was written before outages were waited for."""

    steps: Steps

    async def step(
        self, name: str, act: Callable[[], Awaitable[T]], *, returns: type[T] | UnionType
    ) -> T:
        return await self.steps.step(name, act, returns=returns)

    async def patched(self, name: str) -> bool:
        return False


async def test_a_stored_run_of_before_counts_the_outages_it_had(harness: RunHarness) -> None:
    harness.wrap_steps = StepsOfBefore
    harness.limit(max_retries=1)
    harness.sessions = [[ending(DOWN)], [ending(DOWN)], finishing(harness)]

    ended = await harness.execute()

    assert (ended.reason, ended.rounds) == ("max_retries_exceeded", 2)
    assert (
        harness.outcomes
        == [ExecutionError(OVERLOADED, "retryable", of_service=True, status=529)] * 2
    )
