"""The plan belongs to one text of the specification; another text means another plan."""

from pathlib import Path

import pytest

from tests.builders import deliverable
from tests.unit.workflows.run_harness import (
    ADOPTED,
    CHANGING,
    CREATING,
    ENDING,
    HOME,
    OPENING,
    PLANNED,
    SPEC_HASH,
    RunHarness,
    created,
    ending,
    make_run_harness,
    turned,
)
from treadle.domain.deliverable import Tally
from treadle.domain.events.run import RoundStarted
from treadle.domain.events.work import PlanMade
from treadle.domain.session import Crashed, ExecutionError, MaxTurns, Outcome, QuotaExceeded
from treadle.workflows.loop.run_progress import RunProgress


@pytest.fixture
def harness(tmp_path: Path) -> RunHarness:
    return make_run_harness(tmp_path)


@pytest.fixture
def outdated(harness: RunHarness) -> RunHarness:
    """Everything has passed, for a specification that has changed since."""
    harness.plan(deliverable("DL-1", "passed"))
    harness.progress = RunProgress(plan_outdated=True)
    return harness


async def test_a_plan_is_made_for_the_specification_that_was_read(harness: RunHarness) -> None:
    harness.sessions = [[created("DL-1"), ending()], [turned("DL-1", "passed"), ending()]]

    await harness.execute()

    assert harness.of_type(PlanMade) == [PlanMade(SPEC_HASH)]


async def test_a_session_that_plans_nothing_has_made_no_plan(harness: RunHarness) -> None:
    harness.limit(max_iterations=2)
    harness.sessions = [[ending()], [ending()]]

    await harness.execute()

    assert harness.types == [*OPENING, *ENDING, *OPENING, *ENDING]


async def test_a_changed_specification_is_planned_anew_although_all_had_passed(
    outdated: RunHarness,
) -> None:
    outdated.sessions = [
        [turned("DL-1", "pending"), created("DL-2"), ending()],
        [outdated.wrote("DL-1.py"), turned("DL-1", "passed"), ending()],
        [outdated.wrote("DL-2.py"), turned("DL-2", "passed"), ending()],
    ]

    ended = await outdated.execute()

    assert (ended.reason, ended.rounds, ended.tally) == ("all_passed", 3, Tally(2, 0, 2))
    assert outdated.types == [
        *ADOPTED,
        *OPENING, *CHANGING, *CREATING, *ENDING, *PLANNED,
        *OPENING, *CHANGING, *ENDING, *HOME,
        *OPENING, *CHANGING, *ENDING, *HOME,
    ]  # fmt: skip
    assert outdated.of_type(RoundStarted, PlanMade) == [
        RoundStarted(1, "initializer"),
        PlanMade(SPEC_HASH),
        RoundStarted(2, "coding"),
        RoundStarted(3, "coding"),
    ]


async def test_a_changed_specification_that_asks_for_nothing_new_ends_the_run_after_its_planning(
    outdated: RunHarness,
) -> None:
    outdated.sessions = [[ending()]]

    ended = await outdated.execute()

    assert (ended.reason, ended.rounds, ended.message) == ("all_passed", 1, "")
    assert outdated.types == [*ADOPTED, *OPENING, *ENDING, *PLANNED]


async def test_the_session_that_plans_anew_sees_the_deliverables_as_they_stand(
    outdated: RunHarness,
) -> None:
    outdated.sessions = [[ending()]]

    await outdated.execute()

    (brief,) = outdated.agent.briefs
    assert (brief.role, brief.model) == ("initializer", "opus")
    assert "## Deliverables as they stand" in brief.prompt


@pytest.mark.parametrize(
    "outcome",
    [
        Crashed("gone", 1),
        ExecutionError("overloaded", "retryable"),
        MaxTurns(50),
        QuotaExceeded("limit", None),
    ],
)
async def test_a_session_that_does_not_complete_leaves_the_plan_outdated(
    outdated: RunHarness, outcome: Outcome
) -> None:
    outdated.wait_for_quota = True
    outdated.sessions = [[ending(outcome)], [ending()]]

    ended = await outdated.execute()

    assert ended.reason == "all_passed"
    assert [e.instruction for e in outdated.events if isinstance(e, RoundStarted)] == [
        "initializer",
        "initializer",
    ]
    assert outdated.of_type(PlanMade) == [PlanMade(SPEC_HASH)]
