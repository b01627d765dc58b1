"""A check that failed and passed on one commit of the work is flaky, and proves nothing."""

from pathlib import Path

import pytest

from tests.unit.workflows.deliver.verifier_harness import (
    ACCEPTED,
    BASE,
    LATER,
    ONE,
    TIPS,
    WORK,
    VerifierHarness,
    make_verifier_harness,
)
from treadle.domain.check import Grade
from treadle.domain.events.verification import CheckFinished
from treadle.verify.results.memory_check_runner import GREEN, RED, PresetResult

FLAKY = f"flaky: it failed on {WORK[:8]}, and passed there as well"
BY_CHANCE = PresetResult(1, "it is not its day\n")


async def refused_once(directory: Path, failure: PresetResult = RED) -> VerifierHarness:
    """A claim whose check failed on the first round."""
    said = {("make one", BASE): RED, ("make one", WORK): failure, ("make one", LATER): GREEN}
    harness = make_verifier_harness(directory, ONE, said=said)
    await harness.claims("DL-1")
    await harness.shows()
    await harness.claims("DL-1")
    harness.runner.commands.clear()
    return harness


def graded(harness: VerifierHarness) -> list[tuple[Grade, str]]:
    return [(each.grade, each.criteria[0].why) for each in harness.grades]


async def test_a_failure_that_stays_one_is_tried_again_once_and_work_that_mends_it_is_proven(
    tmp_path: Path,
) -> None:
    harness = await refused_once(tmp_path)

    await harness.verification.verify_round(WORK, LATER, ACCEPTED)
    await harness.verification.reverify(TIPS, ACCEPTED)

    assert graded(harness) == [("proven", "")]
    assert harness.commands_run == [("make one", LATER, "after"), ("make one", WORK, "bisect")]


async def test_a_failure_that_passes_the_second_time_was_chance(tmp_path: Path) -> None:
    harness = await refused_once(tmp_path, BY_CHANCE)
    harness.runner.results["make one", WORK] = GREEN

    await harness.verification.verify_round(WORK, LATER, ACCEPTED)

    assert graded(harness) == [("self-tested", FLAKY)]
    assert harness.commands_run == [("make one", LATER, "after"), ("make one", WORK, "bisect")]


async def test_the_same_commit_claimed_once_more_needs_no_further_run(tmp_path: Path) -> None:
    harness = await refused_once(tmp_path, BY_CHANCE)
    harness.runner.results["make one", WORK] = GREEN

    await harness.verification.verify_round(WORK, WORK, ACCEPTED)

    assert graded(harness) == [("self-tested", FLAKY)]
    assert harness.commands_run == [("make one", WORK, "after")]


@pytest.mark.parametrize("failure", [PresetResult(None), PresetResult(137)])
async def test_a_check_that_was_cut_short_is_not_flaky(
    tmp_path: Path, failure: PresetResult
) -> None:
    harness = await refused_once(tmp_path, failure)

    await harness.verification.verify_round(WORK, LATER, ACCEPTED)

    assert graded(harness) == [("proven", "")]
    assert harness.commands_run == [("make one", LATER, "after")]


async def test_the_next_process_knows_what_failed(tmp_path: Path) -> None:
    harness = await refused_once(tmp_path, BY_CHANCE)
    checks = harness.verification.checks
    assert [each.evidence.commit for each in checks.red] == [WORK]

    # As the log has it, for a process that takes the run over.
    checks.red = [
        event
        for event in harness.harness.events
        if isinstance(event, CheckFinished) and not event.is_green
    ]
    harness.runner.results["make one", WORK] = GREEN
    await harness.verification.verify_round(WORK, LATER, ACCEPTED)

    assert harness.commands_run == [("make one", LATER, "after")]
