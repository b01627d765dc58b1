"""Each failing check and each failing test gets the same number of attempts."""

from treadle.domain.suite_report import SuiteObjection
from treadle.workflows.loop.answers import after_tests_decision
from treadle.workflows.loop.failing_tests_question import AcceptFailures, TryAgain
from treadle.workflows.loop.findings import VerificationFindings
from treadle.workflows.loop.run_progress import RunProgress, after_verification


def failing(*checks: str, tests: tuple[str, ...] = ()) -> VerificationFindings:
    objections = tuple(SuiteObjection("new_failure", name) for name in tests)
    return VerificationFindings("red", objections, failing_checks=checks)


def counts(*found: VerificationFindings, start: RunProgress | None = None) -> list[tuple[int, int]]:
    """How often the same check, and the same test, was found after each verification."""
    progress, seen = start or RunProgress(), []
    for each in found:
        progress = after_verification(progress, each, took_s=0, whole=False)
        seen.append((progress.check_failures, progress.gate_failures))
    return seen


def test_a_check_that_fails_again_is_counted_and_another_one_begins_anew() -> None:
    assert counts(failing("A", "B"), failing("B"), failing("C"), failing("C", "D")) == [
        (1, 0),
        (2, 0),
        (1, 0),
        (2, 0),
    ]
    assert counts(failing("A"), failing("B"), failing("A"), failing("A")) == [
        (1, 0),
        (1, 0),
        (2, 0),
        (3, 0),
    ]


def test_failing_tests_and_failing_checks_are_counted_apart() -> None:
    assert counts(
        failing("A", tests=("t",)), failing(tests=("t",)), failing("A", tests=("u",))
    ) == [
        (1, 1),
        (0, 2),
        (1, 1),
    ]


def test_work_that_holds_begins_anew_and_idle_rounds_change_nothing() -> None:
    held, idle = VerificationFindings(failing_checks=()), VerificationFindings(idle=True)

    assert counts(failing("A"), idle, failing("A"), held, failing("A")) == [
        (1, 0),
        (1, 0),
        (2, 0),
        (0, 0),
        (1, 0),
    ]


def test_after_a_persons_reply_the_tests_get_as_many_attempts_as_at_first() -> None:
    red = failing(tests=("t", "u"))
    progress = RunProgress()
    for _ in range(4):
        progress = after_verification(progress, red, took_s=0, whole=False)

    again = after_tests_decision(progress, TryAgain("mock the clock"))

    assert (progress.gate_failures, again.gate_failures) == (4, 1)
    assert counts(red, red, start=again) == [(0, 2), (0, 3)]


def test_after_failures_that_a_person_accepts_others_begin_anew() -> None:
    progress = RunProgress()
    for _ in range(4):
        progress = after_verification(progress, failing(tests=("t",)), took_s=0, whole=False)

    accepted = after_tests_decision(progress, AcceptFailures(("new_failure t",)))

    assert accepted.gate_failures == 0
    assert counts(failing(tests=("u",)), start=accepted) == [(0, 1)]


def test_a_result_of_an_earlier_version_counts_any_failure_in_a_row() -> None:
    stored = VerificationFindings("red", (SuiteObjection("new_failure", "t"),))

    assert counts(stored, stored) == [(1, 1), (2, 2)]
