"""A look before the work that says nothing is repeated, bounded, and proves nothing."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.unit.workflows.deliver.verifier_harness import (
    BASE,
    LATER,
    ONE,
    TIPS,
    WORK,
    VerifierHarness,
    make_verifier_harness,
    passed,
)
from treadle.domain.events.verification import CheckFinished, CriterionGrade, DeliverableGraded
from treadle.verify.results.memory_check_runner import GREEN, RED, PresetResult

SEEN = "DL-1 can be seen"
UNKNOWN = PresetResult(2, "", setup_failure="the setup failed: the index answered 503")
MISSING = PresetResult(127, "sh: 1: greet: not found\n")
WHY_UNKNOWN = "it could not be run before the work: the setup failed: the index answered 503"


async def verify_rounds(harness: VerifierHarness, count: int) -> Sequence[bool]:
    """Verify so many rounds that claim nothing; whether each left something to verify."""
    due = []
    for _ in range(count):
        due.append(harness.verification.is_due())
        await harness.shows()
    return due


async def test_a_check_that_never_could_run_before_the_work_is_tried_three_times_and_claimed(
    tmp_path: Path,
) -> None:
    said = {("make one", BASE): UNKNOWN, ("make one", ""): GREEN}
    harness = make_verifier_harness(tmp_path, ONE, said=said)

    due = await verify_rounds(harness, 4)
    await harness.claims("DL-1")
    findings = await harness.shows(before=WORK)

    assert due == [True, True, True, False]
    assert harness.commands_run == [("make one", BASE, "before")] * 3 + [
        ("make one", WORK, "after")
    ]
    assert harness.grades == [
        DeliverableGraded("DL-1", "claimed", (CriterionGrade(SEEN, "claimed", why=WHY_UNKNOWN),))
    ]
    [saved] = harness.harness.saved()
    assert (saved.proof, saved.checks) == (
        "claimed",
        (replace(ONE.checks[0], why=WHY_UNKNOWN),),
    )
    assert findings.shortfall == (
        f"DL-1 is claimed ({WHY_UNKNOWN}), and verify.require asks for self-tested"
    )


async def test_a_look_that_said_nothing_is_repeated_on_the_commit_that_it_was_meant_for(
    tmp_path: Path,
) -> None:
    harness = make_verifier_harness(tmp_path, ONE, said={("make one", BASE): UNKNOWN})
    await harness.shows()
    harness.runner.results = {("make one", BASE): RED, ("make one", ""): GREEN}
    await harness.claims("DL-1")

    await harness.shows(before=LATER)

    assert harness.commands_run == [
        ("make one", BASE, "before"),
        ("make one", BASE, "before"),
        ("make one", WORK, "after"),
    ]
    assert harness.harness.saved() == (passed(ONE),)


async def test_looks_of_an_earlier_process_are_counted(tmp_path: Path) -> None:
    harness = make_verifier_harness(tmp_path, ONE, said={("make one", BASE): UNKNOWN})
    harness.verification.looks = {("DL-1", SEEN, "make one"): 2}

    due = await verify_rounds(harness, 2)

    assert (due, len(harness.commands_run)) == ([True, False], 1)


async def test_a_program_that_the_work_brings_was_missing_before_it_as_it_should_be(
    tmp_path: Path,
) -> None:
    said = {("make one", BASE): MISSING, ("make one", ""): replace(GREEN, programs=("greet",))}
    harness = make_verifier_harness(tmp_path, ONE, said=said)
    await harness.claims("DL-1")

    await harness.shows()
    await harness.verification.reverify(TIPS[:2], ())

    assert [each.find_program for each in harness.runner.commands] == ["", "greet"]
    looks = [event for event in harness.harness.events if isinstance(event, CheckFinished)]
    assert [(each.evidence.when, each.before_outcome) for each in looks] == [
        ("before", ""),
        ("after", "passed"),
        ("before", "failed"),
    ]
    assert harness.harness.saved() == (passed(ONE),)


async def test_a_program_from_outside_that_was_missing_before_the_work_proves_nothing(
    tmp_path: Path,
) -> None:
    said = {("make one", BASE): MISSING, ("make one", ""): GREEN}
    harness = make_verifier_harness(tmp_path, ONE, said=said)
    await harness.claims("DL-1")

    await harness.shows()

    why = "it could not be run before the work: greet was not found (exit code 127)"
    assert harness.grades == [
        DeliverableGraded("DL-1", "claimed", (CriterionGrade(SEEN, "claimed", why=why),))
    ]


async def test_the_next_process_looks_for_the_program_that_was_missing(tmp_path: Path) -> None:
    said = {("make one", ""): replace(GREEN, programs=("greet",))}
    harness = make_verifier_harness(tmp_path, ONE, said={("make one", BASE): MISSING, **said})
    await harness.shows()
    [look] = [event for event in harness.harness.events if isinstance(event, CheckFinished)]
    fresh = make_verifier_harness(tmp_path, said=said)
    key = ("DL-1", SEEN, "make one")
    fresh.verification.looks, fresh.verification.unknown_looks = {key: 3}, {key: look}
    await fresh.claims("DL-1")

    await fresh.shows()

    assert fresh.commands_run == [("make one", WORK, "after")]
    assert fresh.harness.saved() == (passed(ONE),)
