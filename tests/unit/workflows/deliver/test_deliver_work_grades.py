"""A run succeeds with the grade that is asked for, and never by words alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.builders import deliverable
from tests.unit.workflows.deliver.board_harness import with_checks
from tests.unit.workflows.deliver.verifier_harness import PresetJudges
from tests.unit.workflows.run_harness import RunHarness, ending, make_run_harness, turned
from treadle.domain.check import Check, CheckOrigin, RequiredGrade
from treadle.domain.deliverable import Claim, Tally
from treadle.verify.results.memory_check_runner import GREEN, RED, MemoryCheckRunner
from treadle.workflows.deliver.next_action import NOTHING_DONE, NOTHING_TO_DO


@pytest.fixture
def harness(tmp_path: Path) -> RunHarness:
    harness = make_run_harness(tmp_path)
    harness.plan(deliverable("DL-1"))
    return harness


async def test_a_run_that_only_says_that_it_is_done_has_done_nothing(harness: RunHarness) -> None:
    harness.sessions = [[turned("DL-1", "passed"), ending()]]

    ended = await harness.execute()

    assert (ended.reason, ended.message, ended.tally) == (
        "unproven",
        NOTHING_DONE,
        Tally(passed=1, total=1),
    )


async def test_a_second_run_with_nothing_left_to_do_is_a_success(harness: RunHarness) -> None:
    harness.plan(deliverable("DL-1", "passed"))

    ended = await harness.execute()

    assert (ended.reason, ended.message, ended.rounds) == ("all_passed", NOTHING_TO_DO, 0)


async def test_work_that_is_only_claimed_is_work(harness: RunHarness) -> None:
    harness.sessions = [[harness.wrote("one.py"), turned("DL-1", "passed"), ending()]]

    assert (await harness.execute()).reason == "all_passed"


@pytest.mark.parametrize(
    ("origin", "required", "reason", "message"),
    [
        ("spec", "proven", "all_passed", ""),
        ("agent", "self-tested", "all_passed", ""),
        (
            "agent",
            "proven",
            "unproven",
            "DL-1 is self-tested (the agent wrote the check), and verify.require asks for proven",
        ),
    ],
)
async def test_a_run_succeeds_with_the_grade_that_is_asked_for(
    harness: RunHarness, origin: CheckOrigin, required: RequiredGrade, reason: str, message: str
) -> None:
    harness.plan(with_checks(deliverable("DL-1"), "make one", origin=origin))
    base = harness.user.git("rev-parse", "HEAD")
    results = {("make one", base): RED, ("make one", ""): GREEN}
    harness.runner, harness.judges = MemoryCheckRunner(results), PresetJudges()
    harness.required = required
    harness.sessions = [[harness.wrote("one.py"), turned("DL-1", "passed"), ending()]]

    ended = await harness.execute()

    assert (ended.reason, ended.message, ended.rounds) == (reason, message, 1)
    assert [d.status for d in harness.status.read()] == ["passed"]


async def test_a_check_that_holds_on_an_untouched_project_makes_no_success_of_words(
    harness: RunHarness,
) -> None:
    harness.plan(with_checks(deliverable("DL-1"), "make one", origin="spec"))
    harness.runner = MemoryCheckRunner({("make one", ""): GREEN})
    harness.sessions = [[turned("DL-1", "passed"), ending()]]

    ended = await harness.execute()

    assert (ended.reason, ended.message) == ("unproven", NOTHING_DONE)


async def test_criteria_without_a_check_hold_no_run_up(harness: RunHarness) -> None:
    check = Check("It greets", "make one", "spec", "failed", "passed")
    one = replace(
        deliverable("DL-1", "passed", Claim(harness.user.git("rev-parse", "HEAD"))),
        acceptance_criteria=("It greets", "It is pretty"),
        checks=(check,),
    )
    harness.plan(one, deliverable("DL-2"))
    harness.runner = MemoryCheckRunner({("make one", ""): GREEN})
    harness.required = "proven"
    harness.sessions = [[harness.wrote("two.py"), turned("DL-2", "passed"), ending()]]

    ended = await harness.execute()

    assert (ended.reason, ended.message) == ("all_passed", "")
