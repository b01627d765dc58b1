"""When a `deliver` run verifies again, repairs tests, asks about them, or may succeed."""

from dataclasses import replace
from typing import Any

import pytest

from treadle.domain.deliverable import Tally
from treadle.domain.limits import RunLimits
from treadle.domain.session import Completed, Crashed, QuotaExceeded, SessionResult
from treadle.domain.suite_report import SuiteObjection
from treadle.domain.usage import Usage
from treadle.workflows.deliver.next_action import NOTHING_DONE, NOTHING_TO_DO, decide_next
from treadle.workflows.loop.answers import after_tests_decision
from treadle.workflows.loop.failing_tests_question import AcceptFailures, GiveUpOnTests, TryAgain
from treadle.workflows.loop.findings import VerificationFindings
from treadle.workflows.loop.next_action import (
    AskAboutTests,
    DecisionRules,
    NextAction,
    Reverify,
    RunSession,
    StopRun,
)
from treadle.workflows.loop.run_progress import (
    RunProgress,
    after_session,
    after_verification,
)
from treadle.workflows.loop.stuck import RoundFacts

LIMITS = RunLimits(max_cost_usd=5, max_minutes=10, max_iterations=40, max_retries=3)
RULES = DecisionRules(LIMITS, wait_for_quota=False, fix_rounds=3)
PASSED: dict[str, Any] = {"tally": Tally(passed=2, total=2), "rounds": 2, "provable": True}
PENDING: dict[str, Any] = {"tally": Tally(passed=1, total=2), "rounds": 2, "provable": True}
FAILS = SuiteObjection("new_failure", "test_greeting", "test_greet.py", 4, "expected hello")
STUCK = (
    "the last 3 sessions took less than 5 s each and made no progress (limits.stuck_repeats = 3)"
)
DONE = StopRun("all_passed")
CODING = RunSession("coding")
SHORT = "DL-1 is self-tested, and verify.require asks for proven"
UNPROVEN = StopRun("unproven", SHORT)


@pytest.mark.parametrize(
    ("known", "step"),
    [
        pytest.param({**PASSED, "provable": False}, DONE, id="nothing to show it by"),
        pytest.param(PASSED, Reverify(), id="not shown yet"),
        pytest.param({**PASSED, "verified": True}, DONE, id="shown"),
        pytest.param({**PASSED, "rounds": 0}, Reverify(), id="all had passed before the run"),
        pytest.param(
            {**PASSED, "verified": True, "shortfall": SHORT}, UNPROVEN, id="below the grade"
        ),
        pytest.param({**PASSED, "shortfall": SHORT}, Reverify(), id="below it, not shown yet"),
        pytest.param({**PENDING, "shortfall": SHORT}, CODING, id="below it, and not done"),
        pytest.param(
            {**PASSED, "verified": True, "shortfall": SHORT, "stopping": "cancelled"},
            StopRun("cancelled"),
            id="below it, and asked to stop",
        ),
        pytest.param(
            {**PASSED, "verified": True, "only_words": True},
            StopRun("unproven", NOTHING_DONE),
            id="nothing but words",
        ),
        pytest.param(
            {**PASSED, "provable": False, "only_words": True},
            StopRun("unproven", NOTHING_DONE),
            id="nothing but words, and nothing to show it by",
        ),
        pytest.param(
            {**PASSED, "verified": True, "only_words": True, "shortfall": SHORT},
            StopRun("unproven", NOTHING_DONE),
            id="nothing but words, which is the graver",
        ),
        pytest.param(
            {**PENDING, "tally": Tally(blocked=2, total=2), "only_words": True},
            StopRun("all_blocked"),
            id="everything is blocked",
        ),
        pytest.param(
            {**PASSED, "rounds": 0, "verified": True},
            StopRun("all_passed", NOTHING_TO_DO),
            id="nothing to do",
        ),
        pytest.param(
            {**PASSED, "rounds": 0, "verified": True, "shortfall": SHORT},
            StopRun("all_passed", NOTHING_TO_DO),
            id="nothing to do, and nothing to land",
        ),
        pytest.param(
            {**PASSED, "rounds": 0, "verified": True, "shortfall": SHORT, "has_commits": True},
            UNPROVEN,
            id="nothing to do, and below the grade what would land",
        ),
        pytest.param(
            {**PASSED, "rounds": 0, "verified": True, "has_commits": True},
            StopRun("all_passed", NOTHING_TO_DO),
            id="nothing to do but to land",
        ),
        pytest.param({**PASSED, "gate_failures": 1}, Reverify(), id="a round tried to mend tests"),
        pytest.param(
            {**PASSED, "gate_failures": 1, "worked_since": False}, CODING, id="tests to mend"
        ),
        pytest.param(
            {**PASSED, "gate_failures": 4, "worked_since": False}, AskAboutTests(), id="given up"
        ),
        pytest.param({**PENDING, "gate_failures": 3}, CODING, id="pending, tests to mend"),
        pytest.param({**PENDING, "gate_failures": 4}, AskAboutTests(), id="pending, given up"),
        pytest.param(
            {**PASSED, "gate_failures": 4, "give_up_reason": "ann said no"},
            StopRun("tests_failed", "ann said no"),
            id="a person said no",
        ),
        pytest.param(
            {**PASSED, "gate_failures": 4, "stopping": "interrupted"},
            StopRun("interrupted"),
            id="asked to stop",
        ),
    ],
)
def test_a_run_may_succeed_once_all_of_it_was_shown_again(
    known: dict[str, Any], step: NextAction
) -> None:
    assert decide_next(RunProgress(**known), RULES) == step


def test_findings_about_all_of_the_work_show_it_if_they_hold() -> None:
    progress = RunProgress(**PASSED, gate_failures=2, objections=(FAILS,))

    whole = after_verification(progress, VerificationFindings(), took_s=2.5, whole=True)
    part = after_verification(progress, VerificationFindings(), took_s=2.5, whole=False)

    assert (whole.verified, whole.worked_since, whole.gate_failures) == (True, False, 0)
    assert (part.verified, part.running_s, part.objections) == (False, 2.5, ())


def test_what_a_verification_falls_short_of_is_known_until_the_next_one() -> None:
    below = VerificationFindings(shortfall=SHORT)

    known = after_verification(RunProgress(**PASSED), below, took_s=0, whole=True)
    better = after_verification(known, VerificationFindings(), took_s=0, whole=True)

    assert (known.verified, known.shortfall, better.shortfall) == (True, SHORT, "")
    assert decide_next(known, RULES) == UNPROVEN
    assert decide_next(better, RULES) == DONE


def test_what_did_not_hold_is_told_to_the_next_session_and_to_no_other() -> None:
    found = VerificationFindings("DL-001 is red", (FAILS,))
    progress = after_verification(RunProgress(**PASSED), found, took_s=0, whole=True)

    assert (progress.verified, progress.findings, progress.gate_failures) == (
        False,
        "DL-001 is red",
        1,
    )
    held_up = after_session(progress, _session(QuotaExceeded("later", None)))
    assert held_up.findings == "DL-001 is red"
    broken_off = after_session(progress, _session(Crashed("gone", 1)))
    assert (broken_off.findings, broken_off.worked_since) == ("DL-001 is red", True)
    worked = after_session(progress, _session(Completed("")))
    assert (worked.findings, worked.worked_since, worked.verified) == ("", True, False)


def test_what_checks_and_tests_say_is_a_fact_of_the_round() -> None:
    start, last = RoundFacts(0, "a", Tally(), "none"), RoundFacts(1, "b", Tally(), "none")
    progress = RunProgress(**PENDING, history=(start, last))

    red = VerificationFindings("red", green_checks=2, failing_tests=3)
    judged = after_verification(progress, red, took_s=0, whole=False)
    again = after_verification(judged, VerificationFindings(green_checks=1), took_s=0, whole=True)

    assert judged.history == (start, replace(last, green_checks=2, failing_tests=3))
    assert again.history == judged.history


def test_a_round_that_claims_nothing_leaves_what_is_known_of_the_tests() -> None:
    progress = RunProgress(**PENDING, gate_failures=2, objections=(FAILS,), running_s=1.0)

    after = after_verification(progress, VerificationFindings(idle=True), took_s=0.5, whole=False)

    assert after == replace(progress, running_s=1.5)


def test_verification_that_was_cut_shows_nothing() -> None:
    found = VerificationFindings(stopped=True)

    assert not after_verification(RunProgress(**PASSED), found, took_s=0, whole=True).verified


def test_tests_that_a_person_lets_fail_are_remembered_and_shown_again() -> None:
    progress = RunProgress(**PASSED, gate_failures=4, objections=(FAILS,), accepted=("test_old",))

    after = after_tests_decision(progress, AcceptFailures(("test_greeting",)))

    assert after.accepted == ("test_old", "test_greeting")
    assert decide_next(after, RULES) == Reverify()


def test_a_persons_words_reach_the_next_session_and_give_it_a_fresh_start() -> None:
    idle = tuple(RoundFacts(number, "tree", PASSED["tally"], "criteria") for number in range(5))
    progress = RunProgress(
        **PASSED,
        gate_failures=4,
        findings="red",
        worked_since=False,
        history=idle,
        last=Completed(""),
    )

    after = after_tests_decision(progress, TryAgain("mock the clock"))

    assert after.findings == "red\nA person says about it:\n\nmock the clock\n"
    assert decide_next(replace(progress, gate_failures=1), RULES) == StopRun("stuck", STUCK)
    assert decide_next(after, RULES) == CODING


def test_a_persons_no_ends_the_run() -> None:
    after = after_tests_decision(
        RunProgress(**PASSED, gate_failures=4), GiveUpOnTests("ann said no")
    )

    assert decide_next(after, RULES) == StopRun("tests_failed", "ann said no")


def _session(outcome: Completed | Crashed | QuotaExceeded) -> SessionResult:
    return SessionResult("s-1", outcome, 0.1, Usage(), 1, 1.0)  # type: ignore[arg-type]
