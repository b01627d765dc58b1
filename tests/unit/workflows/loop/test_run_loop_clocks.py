"""A wall clock that is set back or forward ends no run, and lengthens no wait."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from tests.builders import deliverable
from tests.unit.workflows.run_harness import RunHarness, did, ending, make_run_harness, turned
from treadle.domain.agent import Fault
from treadle.domain.session import Crashed, ExecutionError

LIMITED = Fault("You've hit your limit · resets 6pm (UTC)")
DOWN = ExecutionError("Overloaded (529)", "retryable", of_service=True)
SIX_HOURS_S = 6 * 3600.0


@pytest.fixture
def harness(tmp_path: Path) -> RunHarness:
    made = make_run_harness(tmp_path)
    made.plan(deliverable("DL-1"))
    made.wait_for_quota, made.jitter = True, 0.0
    return made


def jump_once(harness: RunHarness, hours: float) -> Callable[[], None]:
    """The clock is set in the first sleep."""
    left = [timedelta(hours=hours)]

    def jump() -> None:
        if left:
            harness.clock.moment += left.pop()

    return jump


@pytest.mark.parametrize("hours", [-100, -5, 5, 100])
@pytest.mark.parametrize("failure", [LIMITED, DOWN, Crashed("killed", 137)])
async def test_a_clock_that_is_set_in_a_wait_ends_no_run_and_lengthens_no_wait(
    harness: RunHarness, failure: Fault | ExecutionError | Crashed, hours: float
) -> None:
    harness.limit(max_minutes=10, outage_hours=1)
    harness.clock.on_sleep = jump_once(harness, hours)
    harness.sessions = [
        [ending(failure)],
        [harness.wrote("DL-1.py"), turned("DL-1", "passed"), ending()],
    ]

    ended = await harness.execute()

    assert ended.reason == "all_passed"
    # Of the quota, until six and a minute; of the others, seconds.
    assert sum(harness.clock.slept) <= SIX_HOURS_S + 60


@pytest.mark.parametrize("hours", [-100, -5, 5, 100])
async def test_a_clock_that_is_set_in_a_session_ends_no_run(
    harness: RunHarness, hours: float
) -> None:
    harness.limit(max_minutes=10, outage_hours=1)

    def jump() -> None:
        harness.clock.moment += timedelta(hours=hours)

    harness.sessions = [
        [did(jump), ending(DOWN)],
        [did(jump), ending(Crashed("killed", 137))],
        [harness.wrote("DL-1.py"), did(jump), turned("DL-1", "passed"), ending()],
    ]

    ended = await harness.execute()

    assert ended.reason == "all_passed"
    assert (sum(harness.clock.slept) < 60, ended.duration_s) == (True, 0.0)
