"""The results of the verification that are kept from a log."""

from dataclasses import replace

from tests.unit.cli.sample_runs import state_after
from tests.unit.cli.sample_verified_runs import BASELINE, OPEN, SUITE_GRADED, TOUCHED
from treadle.domain.events.verification import EvidenceTouched, TouchedFile


def test_what_was_touched_is_shown_for_the_whole_work_so_the_last_word_counts() -> None:
    again = EvidenceTouched((TouchedFile("pyproject.toml", "lint", "removed"),))

    assert state_after(TOUCHED, again).verified.touched == again.files


def test_the_run_of_the_tests_before_the_work_is_no_result() -> None:
    assert state_after(BASELINE).verified.suite is None
    assert state_after(BASELINE, OPEN).verified.suite == OPEN


def test_the_run_of_the_tests_on_the_pinned_tree_counts_by_its_grade_alone() -> None:
    pinned = replace(OPEN, evidence=replace(OPEN.evidence, when="pinned", exit_code=1))
    better = replace(SUITE_GRADED, grade="proven", judge="person", why="", failing=())

    found = state_after(OPEN, pinned, SUITE_GRADED).verified
    later = state_after(OPEN, SUITE_GRADED, better).verified

    assert (found.suite, found.suite_grade, later.suite_grade) == (OPEN, SUITE_GRADED, better)
