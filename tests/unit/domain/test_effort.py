"""The estimate of a plan against past runs, and the score after the work."""

from datetime import timedelta

import pytest

from tests.builders import NOON, RUN
from treadle.domain.deliverable import Tally
from treadle.domain.effort import (
    Effort,
    estimate_in,
    past_effort,
    plan_remark,
    range_of_efforts,
    score_text,
)
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.focus import PlanWritten
from treadle.domain.events.run import RunEnded
from treadle.domain.events.session import SessionEnded, SessionStarted
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.ids import SessionId
from treadle.domain.run import RunResult
from treadle.domain.session import Completed, SessionResult
from treadle.domain.signal import Role
from treadle.domain.task_plan import TaskPlan
from treadle.domain.usage import Usage

ESTIMATE = Effort(1.2, 720)
SEVEN = [Effort(float(n), 60.0 * n) for n in (5, 1, 3, 2, 7, 4, 6)]


def log(*events: Event) -> list[RecordedEvent]:
    return [
        RecordedEvent(RUN, number, NOON + timedelta(seconds=number), event)
        for number, event in enumerate(events, 1)
    ]


def session(role: Role, cost_usd: float, seconds: float) -> tuple[Event, Event]:
    name = SessionId(f"s-{role}")
    result = SessionResult(name, Completed(""), cost_usd, Usage(), 3, seconds)
    return SessionStarted(name, role, "sonnet"), SessionEnded(result)


def end(reason: ExitReason) -> RunEnded:
    return RunEnded(RunResult(reason, 3, Tally(1, 0, 1), 1.5, Usage(), 900.0))


def test_half_of_the_past_runs_and_nine_of_ten_are_named_from_the_third_run_on() -> None:
    spread = range_of_efforts(SEVEN)

    assert spread is not None
    assert (spread.runs, spread.half, spread.most) == (7, Effort(4.0, 240.0), Effort(7.0, 420.0))
    assert range_of_efforts(SEVEN[:2]) is None


@pytest.mark.parametrize(
    ("estimate", "past", "remark"),
    [
        (None, [], ""),
        (
            ESTIMATE,
            SEVEN[:2],
            "Estimate: $1.20, 12 min\nNo history yet: that needs 3 finished runs of this project",
        ),
        (
            ESTIMATE,
            SEVEN,
            "Estimate: $1.20, 12 min\n"
            "The last 7 runs here: half took up to $4.00, 4 min; 9 of 10 up to $7.00, 7 min",
        ),
        (
            None,
            SEVEN[:3],
            "The last 3 runs here: half took up to $3.00, 3 min; 9 of 10 up to $5.00, 5 min",
        ),
    ],
)
def test_an_estimate_is_set_against_the_history_of_the_project(
    estimate: Effort | None, past: list[Effort], remark: str
) -> None:
    assert plan_remark(estimate, past) == remark


def test_the_work_of_a_run_counts_without_its_planning() -> None:
    events = (*session("planner", 0.5, 120.0), *session("implementer", 1.0, 600.0))

    assert past_effort(log(*events, end("approved"))) == Effort(1.0, 780.0)


@pytest.mark.parametrize("reason", ["plan_denied", "interrupted", "service_unavailable"])
def test_a_run_that_did_not_do_its_work_is_no_history(reason: ExitReason) -> None:
    assert past_effort(log(*session("planner", 0.4, 120.0), end(reason))) is None


def test_the_estimate_is_that_of_the_plan_that_is_asked_about() -> None:
    first = TaskPlan("One", "", (), (), cost_usd=1.2, minutes=12)
    second = TaskPlan("Two", "", (), (), cost_usd=9)
    plans = log(PlanWritten("# One\n", first), PlanWritten("# Two\n", second))

    assert estimate_in(plans, "# One\n") == ESTIMATE
    assert estimate_in(plans, "# Three\n") is None
    assert score_text(ESTIMATE, Effort(0.9, 900)) == "$1.20, 12 min; the work took $0.90, 15 min"
    assert score_text(ESTIMATE, Effort(0.004, 9)) == "$1.20, 12 min; the work took <$0.01, 1 min"
