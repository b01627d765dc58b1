"""What counts as the running time of a run, 10 seconds between two events."""

from datetime import timedelta

import pytest

from tests.unit.cli.sample_runs import HEAD, RUN, START, STARTED, ended, recorded, session_ended
from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import Event
from treadle.domain.events.queue import ItemEnded, ItemStarted
from treadle.domain.events.run import (
    RoundFailed,
    RoundStarted,
    RunPaused,
    RunRecovered,
    RunReopened,
    RunResumed,
)
from treadle.domain.events.work import SetupFinished, WorkChanged, WorkspacePrepared
from treadle.domain.limits import RunLimits
from treadle.domain.session import Completed
from treadle.views.running_time import RunningTime, add_event, running_time_of

ROUND = RoundStarted(1, "coding")
READY = WorkspacePrepared("/ws", "treadle/x", HEAD, "main", HEAD)
SETUP = SetupFinished("make", 0, 1.0, "")
SESSION = session_ended(Completed("x"))
FAILED = RoundFailed(1, "no answer", 1, 3)
CHANGED = WorkChanged(HEAD, 1)
ITEM = ItemStarted("010-x.md", "v", RUN, "focus")
ENDED = ItemEnded("010-x.md", "v", RUN, "approved")
LIMITS = RunLimits(20.0, 480.0, 100, 3)
PAUSE = RunPaused("quota", START)


@pytest.mark.parametrize(
    ("events", "seconds"),
    [
        ([], 0.0),
        ([STARTED], 0.0),
        ([STARTED, READY], 5.0),
        ([STARTED, READY, SETUP, ROUND], 20.0),
        ([STARTED, READY, SETUP, ROUND, SESSION], 25.0),
        ([STARTED, ROUND, SESSION], 15.0),
        ([STARTED, ROUND, SESSION, ROUND, SESSION, SESSION], 35.0),
        ([STARTED, ROUND, SESSION, FAILED], 20.0),
        ([STARTED, ROUND, SESSION, FAILED, ROUND], 25.0),
        ([STARTED, ROUND, SESSION, PAUSE], 20.0),
        ([STARTED, ROUND, SESSION, PAUSE, RunResumed()], 25.0),
        ([STARTED, ROUND, SESSION, RunRecovered()], 15.0),
        ([STARTED, ROUND, SESSION, CHANGED], 20.0),
        ([STARTED, ITEM, ENDED, ITEM], 25.0),
    ],
)
def test_idle_time_between_rounds_and_pauses_do_not_count(
    events: list[Event], seconds: float
) -> None:
    log = recorded(events, step_s=10)
    last = log[-1].at if log else START

    assert running_time_of(log).until(last + timedelta(seconds=5)) == seconds


@pytest.mark.parametrize(
    "events",
    [
        [STARTED, READY, SETUP, ROUND, SESSION, ROUND, SESSION, CHANGED, ended("stuck", Tally())],
        [STARTED, ROUND, SESSION, FAILED, ROUND, PAUSE, RunResumed(), ROUND, SESSION, CHANGED],
    ],
)
def test_time_never_runs_backwards(events: list[Event]) -> None:
    """As whoever looks at the clock each second sees it."""
    shown, time = [], RunningTime()
    for each in recorded(events, step_s=10):
        shown += [time.until(each.at - timedelta(seconds=left)) for left in range(9, -1, -1)]
        time = add_event(time, each)

    assert shown == sorted(shown)


def test_a_reopened_run_goes_on_from_the_time_of_its_result() -> None:
    end = ended("interrupted", Tally())
    at_work = recorded([STARTED, ROUND, end, RunReopened("resume", LIMITS), ROUND], step_s=10)
    reopened, later = at_work[:-1], at_work[-1].at + timedelta(seconds=5)

    assert running_time_of(reopened).until(later) == end.result.duration_s
    assert running_time_of(at_work).until(later) == end.result.duration_s + 5.0
