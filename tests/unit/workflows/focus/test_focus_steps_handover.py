"""A signal of a `focus` run without the plan or the findings that belong to it."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.workflows.focus.focus_harness import (
    FocusHarness,
    make_focus_harness,
    marker,
    planned,
    reviewed,
)
from tests.unit.workflows.run_harness import ending, use
from treadle.domain.events.focus import ReviewJudged
from treadle.domain.events.run import RunWarned

PLAN = "# Plan\n\n- [ ] hands\n"


@pytest.fixture
def harness(tmp_path: Path) -> FocusHarness:
    return make_focus_harness(tmp_path)


async def test_a_plan_that_was_never_handed_over_is_no_plan(harness: FocusHarness) -> None:
    harness.sessions = [[*marker("PLAN_COMPLETE", "All in my head."), ending()]] * 5
    harness.limits = replace(harness.limits, stuck_rounds=2, stuck_repeats=9)

    result = await harness.execute()

    assert result.reason == "stuck"
    assert len(harness.agent.briefs) == 2
    missing = "no plan was handed over with write_plan"
    assert (
        harness.of_type(RunWarned)
        == [RunWarned(f"plan_complete does not count, another session starts: {missing}")] * 2
    )


async def test_changes_requested_without_findings_are_asked_for_again(
    harness: FocusHarness,
) -> None:
    harness.sessions = [
        planned(PLAN),
        [harness.wrote("hands.py"), *marker("DONE", "Add the hands"), ending()],
        reviewed("REQUEST_CHANGES"),
        reviewed("APPROVED"),
    ]

    result = await harness.execute()

    assert (result.reason, len(harness.of_type(ReviewJudged))) == ("approved", 1)
    missing = "no findings were handed over with write_review"
    assert harness.of_type(RunWarned) == [
        RunWarned(f"request_changes does not count, another session starts: {missing}")
    ]


async def test_what_was_wrong_with_findings_that_do_not_count_is_said(
    harness: FocusHarness,
) -> None:
    unreadable = use("write_review", {"findings": [{"severity": "bad", "text": "It is slow"}]})
    harness.sessions = [
        planned(PLAN),
        [harness.wrote("hands.py"), *marker("DONE", "Add the hands"), ending()],
        [unreadable, *marker("REQUEST_CHANGES", "Slow."), ending()],
        reviewed("APPROVED"),
    ]

    await harness.execute()

    assert harness.of_type(RunWarned) == [
        RunWarned(
            "request_changes does not count, another session starts: no findings were handed "
            "over with write_review, which refused what it got: `severity` must be one of "
            "blocker, major, minor, nit."
        )
    ]
