"""Claims are proven, refused or found broken: one verification over a real board."""

from dataclasses import replace
from pathlib import Path

from tests.builders import deliverable
from tests.unit.workflows.deliver.board_harness import with_checks
from tests.unit.workflows.deliver.verifier_harness import (
    ACCEPTED,
    BASE,
    LAST,
    LATER,
    ONE,
    TESTS,
    TIPS,
    TWO,
    WORK,
    make_verifier_harness,
    passed,
    refused,
    set_back,
    turned,
)
from treadle.domain.events.run import RunWarned
from treadle.domain.events.verification import (
    CheckFinished,
    CriterionGrade,
    DeliverableGraded,
    RegressionFound,
    SuiteFinished,
    SuiteGraded,
)
from treadle.verify.results.memory_check_runner import GREEN, RED, PresetResult
from treadle.workflows.deliver.verifier import UNINFORMATIVE_TESTS
from treadle.workflows.loop.findings import RoundCommit, VerificationFindings


def unittest(**outcomes: str) -> PresetResult:
    """What unittest says of tests by these names."""
    told = [f"test_{name} (test_it.It.test_{name}) ... {end}" for name, end in outcomes.items()]
    red = [name for name, end in outcomes.items() if end == "FAIL"]
    for name in red:
        told += ["=" * 70, f"FAIL: test_{name} (test_it.It.test_{name})", "-" * 70]
        told += [f'  File "test_it.py", line 7, in test_{name}', "AssertionError: no", ""]
    told += ["-" * 70, f"Ran {len(outcomes)} tests in 0.001s", ""]
    told.append(f"FAILED (failures={len(red)})" if red else "OK")
    return PresetResult(1 if red else 0, "\n".join(told) + "\n")


async def test_what_fails_before_the_work_and_passes_after_it_is_proven(tmp_path: Path) -> None:
    harness = make_verifier_harness(
        tmp_path, ONE, said={("make one", BASE): RED, ("make one", WORK): GREEN}
    )
    await harness.claims("DL-1")

    findings = await harness.shows()

    assert findings == VerificationFindings(green_checks=1, failing_checks=())
    assert harness.commands_run == [("make one", BASE, "before"), ("make one", WORK, "after")]
    graded = DeliverableGraded(
        "DL-1", "proven", (CriterionGrade("DL-1 can be seen", "proven", "spec", "passed"),)
    )
    assert harness.harness.events[-2:] == [
        graded,
        turned("DL-1", "pending", "passed", "proven", commit=WORK),
    ]
    assert harness.harness.saved() == (passed(ONE),)


async def test_what_passes_before_the_work_as_well_is_only_claimed(tmp_path: Path) -> None:
    harness = make_verifier_harness(tmp_path, ONE, said={("make one", ""): GREEN})
    await harness.claims("DL-1")

    await harness.shows()

    assert harness.recorded == [turned("DL-1", "pending", "passed", "claimed", commit=WORK)]
    [saved] = harness.harness.saved()
    assert (saved.proof, saved.checks) == (
        "claimed",
        (replace(ONE.checks[0], before="passed", why="its check passed before the work"),),
    )


async def test_a_red_check_refuses_its_own_deliverable_and_no_other(tmp_path: Path) -> None:
    said = {("make one", ""): RED, ("make two", BASE): RED, ("make two", WORK): GREEN}
    harness = make_verifier_harness(tmp_path, ONE, TWO, said=said)
    await harness.claims("DL-1", "DL-2")

    findings = await harness.shows()

    assert "DL-1, criterion “DL-1 can be seen”: `make one` ended with exit code 1." in findings.told
    assert "DL-2" not in findings.told
    assert "it does not hold" in findings.told
    assert harness.recorded == [
        refused("DL-1", red=1),
        turned("DL-2", "pending", "passed", "proven", commit=WORK),
    ]
    assert harness.harness.board.claims() == ()


async def test_a_check_that_does_not_end_is_red(tmp_path: Path) -> None:
    said = {("make one", BASE): RED, ("make one", WORK): PresetResult(None, "")}
    harness = make_verifier_harness(tmp_path, ONE, said=said)
    await harness.claims("DL-1")

    findings = await harness.shows()

    assert "`make one` ran out of time.\n\n```\n(it printed nothing)\n```" in findings.told
    assert harness.recorded == [refused("DL-1", red=1)]


async def test_checks_that_nobody_claims_are_seen_to_fail_and_nothing_else(tmp_path: Path) -> None:
    harness = make_verifier_harness(tmp_path, ONE, said={("make one", BASE): RED}, suite=TESTS)

    findings = await harness.shows()

    assert findings == VerificationFindings(idle=True)
    assert harness.commands_run == [("make one", BASE, "before")]
    assert not harness.verification.is_due()


async def test_a_test_command_that_fails_as_before_opens_the_gate_and_is_warned_of(
    tmp_path: Path,
) -> None:
    harness = make_verifier_harness(
        tmp_path, deliverable("DL-1"), said={(TESTS.command, ""): RED}, suite=TESTS
    )
    await harness.claims("DL-1")

    why = "the test command fails as it did before the work, so it proves nothing"
    assert await harness.shows() == VerificationFindings(
        failing_tests=1,
        shortfall=f"the test command is claimed ({why}), and verify.require asks for self-tested",
        failing_checks=(),
    )
    assert harness.recorded == [
        SuiteGraded(WORK, "claimed", "", why),
        RunWarned(UNINFORMATIVE_TESTS),
        turned("DL-1", "pending", "passed", "claimed", commit=WORK),
    ]


async def test_tests_that_object_refuse_everything_until_a_person_accepts_them(
    tmp_path: Path,
) -> None:
    one = deliverable("DL-1")
    said = {
        (TESTS.command, BASE): unittest(hello="ok", old="FAIL"),
        (TESTS.command, WORK): unittest(hello="FAIL", old="FAIL"),
    }
    harness = make_verifier_harness(tmp_path, one, said=said, suite=TESTS)
    await harness.claims("DL-1")

    findings = await harness.shows()
    accepted = await harness.shows(accepted=["new_failure test_it.It::test_hello"])

    assert [(each.finding, each.test) for each in findings.objections] == [
        ("new_failure", "test_it.It::test_hello")
    ]
    assert "test_it.It::test_hello fails, and did not before the work (test_it.py:7)" in (
        findings.told
    )
    assert accepted == VerificationFindings(failing_tests=1, failing_checks=())
    suites = [event for event in harness.harness.events if isinstance(event, SuiteFinished)]
    assert [each.accepted for each in suites] == [(), (), suites[1].objections]
    assert harness.recorded == [
        refused("DL-1", red=0),
        SuiteGraded(WORK, "self-tested", "person", "none of the tests passes"),
        turned("DL-1", "pending", "passed", "claimed", commit=WORK),
    ]


async def test_tests_are_run_once_for_a_tree_that_they_had_nothing_against(
    tmp_path: Path,
) -> None:
    harness = make_verifier_harness(
        tmp_path, deliverable("DL-1"), said={(TESTS.command, ""): unittest(hello="ok")}, suite=TESTS
    )
    await harness.claims("DL-1")

    await harness.shows()
    again = await harness.verification.reverify(TIPS[:2], ACCEPTED)

    assert again == VerificationFindings(failing_tests=0, failing_checks=())
    assert [(commit, when) for _, commit, when in harness.commands_run] == [
        (BASE, "before"),
        (WORK, "after"),
    ]


async def test_what_broke_later_is_pending_again_and_the_round_is_named(tmp_path: Path) -> None:
    tips = (*TIPS, RoundCommit(3, LAST))
    said = {
        ("make one", WORK): GREEN,
        ("make one", LATER): RED,
        ("make one", LAST): RED,
        ("make two", LAST): GREEN,
    }
    harness = make_verifier_harness(tmp_path, passed(ONE), passed(TWO, LAST), said=said)

    findings = await harness.verification.reverify(tips, ACCEPTED)

    assert "DL-1, criterion “DL-1 can be seen”: `make one` ended with exit code 1." in findings.told
    assert harness.recorded == [
        RegressionFound("DL-1", "DL-1 can be seen", 2),
        turned("DL-1", "passed", "pending"),
        set_back("DL-1"),
    ]
    assert harness.commands_run == [
        ("make one", LAST, "again"),
        ("make two", LAST, "again"),
        ("make one", WORK, "bisect"),
        ("make one", LATER, "bisect"),
    ]


async def test_what_was_set_back_before_a_crash_is_reported_again_to_the_next_session(
    tmp_path: Path,
) -> None:
    said = {("make one", BASE): RED, ("make one", WORK): GREEN, ("make one", LATER): RED}
    harness = make_verifier_harness(tmp_path, ONE, said=said)
    await harness.claims("DL-1")
    await harness.shows()
    harness.harness.events.clear()

    first = await harness.verification.reverify(TIPS, ACCEPTED)
    second = await harness.verification.reverify(TIPS, ACCEPTED)

    assert second == first
    assert harness.recorded == [
        RegressionFound("DL-1", "DL-1 can be seen", 2),
        turned("DL-1", "passed", "pending"),
        set_back("DL-1"),
    ]


async def test_one_command_for_two_criteria_is_run_once_and_is_evidence_for_both(
    tmp_path: Path,
) -> None:
    same = with_checks(deliverable("DL-2"), "make one", origin="spec")
    harness = make_verifier_harness(
        tmp_path, passed(ONE), passed(same), said={("make one", WORK): GREEN}
    )

    findings = await harness.verification.reverify(TIPS[:2], ACCEPTED)

    assert findings == VerificationFindings(green_checks=2, failing_checks=())
    assert harness.commands_run == [("make one", WORK, "again")]
    finished = [event for event in harness.harness.events if isinstance(event, CheckFinished)]
    assert [event.deliverable for event in finished] == ["DL-1", "DL-2"]
    assert finished[0].evidence == finished[1].evidence


async def test_a_run_that_is_to_stop_shows_nothing(tmp_path: Path) -> None:
    harness = make_verifier_harness(tmp_path, ONE, said={("make one", BASE): RED})
    await harness.claims("DL-1")

    findings = await harness.shows()
    again = await harness.verification.reverify(TIPS, ACCEPTED)

    assert findings == again == VerificationFindings(stopped=True)
    assert not findings.hold
    assert (harness.recorded, harness.harness.board.claims()) == ([], ())
