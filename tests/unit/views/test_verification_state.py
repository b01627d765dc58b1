"""The results of the verification that are kept from a log."""

from dataclasses import replace

from tests.unit.cli.sample_runs import state_after
from tests.unit.cli.sample_verified_runs import BASELINE, OPEN, SUITE_GRADED, TOUCHED
from treadle.domain.events.verification import EvidenceTouched, TouchedFile


def test_what_was_touched_is_shown_for_the_whole_work_so_the_last_word_counts() -> None:
    again = EvidenceTouched((TouchedFile("pyproject.toml", "lint", "removed"),))

    assert state_after(TOUCHED, again).verified.touched == again.files


def test_test_files_that_got_weaker_have_a_line_each() -> None:
    weaker = "3 assertions fewer, 1 skip added"
    files = (
        TouchedFile("tests/test_a.py", "tests", "changed", weaker),
        TouchedFile("tests/test_b.py", "tests", "changed"),
    )
    many = tuple(TouchedFile(f"tests/{n}.py", "tests", "changed", "x") for n in range(7))

    assert state_after(EvidenceTouched(files)).verified.weakened == (f"tests/test_a.py: {weaker}",)
    assert state_after(EvidenceTouched(many)).verified.weakened == (
        *(f"tests/{n}.py: x" for n in range(4)),
        "3 more test files made weaker",
    )


def test_the_tests_of_the_base_are_no_result_of_the_work() -> None:
    pinned = replace(OPEN, evidence=replace(OPEN.evidence, when="pinned"))

    assert state_after(BASELINE, OPEN, pinned).verified.suite == OPEN


def test_the_run_of_the_tests_before_the_work_is_no_result() -> None:
    assert state_after(BASELINE).verified.suite is None
    assert state_after(BASELINE, OPEN).verified.suite == OPEN


def test_the_run_of_the_tests_on_the_pinned_tree_counts_by_its_grade_alone() -> None:
    pinned = replace(OPEN, evidence=replace(OPEN.evidence, when="pinned", exit_code=1))
    better = replace(SUITE_GRADED, grade="proven", judge="person", why="", failing=())

    found = state_after(OPEN, pinned, SUITE_GRADED).verified
    later = state_after(OPEN, SUITE_GRADED, better).verified

    assert (found.suite, found.suite_grade, later.suite_grade) == (OPEN, SUITE_GRADED, better)
