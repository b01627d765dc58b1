"""Two runs on one tree distinguish failures from flaky tests."""

from dataclasses import replace

import pytest

from tests.unit.verify.suite_runs import cut, evidence, illegible, suite
from treadle.domain.check import CheckTiming
from treadle.domain.suite_report import TEST_COMMAND
from treadle.verify.suites.rerun import merge_runs, needs_rerun
from treadle.verify.suites.suite_comparison import SuiteRun

A, B = "cart::test_adds", "cart::test_pays"
GREEN = suite({A: "passed"})
RED = suite({A: "failed"})
BROKEN = suite(exit_code=2)


@pytest.mark.parametrize(
    ("first", "before", "worth"),
    [
        (GREEN, None, False),
        (RED, None, True),
        (BROKEN, None, True),
        (suite({A: "failed"}, 0), None, True),
        (suite({A: "skipped"}), None, False),
        (RED, GREEN, True),
        # What is known to be red is not worth the time.
        (RED, RED, False),
        (RED, suite({A: "passed"}, flaky=frozenset({A})), False),
        (suite({A: "failed", B: "failed"}), RED, True),
        (BROKEN, BROKEN, False),
        (BROKEN, GREEN, True),
        (cut({A: "failed"}), None, False),
        (illegible(), None, False),
        (RED, illegible(), True),
        # A baseline that says nothing is looked at again later.
        (replace(BROKEN, setup_failure="setup failed"), None, False),
        (replace(BROKEN, outside_failure="the network failed"), None, False),
        (replace(BROKEN, outside_failure="the network failed"), GREEN, True),
    ],
)
def test_what_is_newly_red_is_run_again(
    first: SuiteRun, before: SuiteRun | None, worth: bool
) -> None:
    assert needs_rerun(first, before) is worth


@pytest.mark.parametrize(("doubted", "worth"), [({A}, True), ({B}, False), (set(), False)])
def test_what_was_flaky_on_earlier_work_is_run_twice(doubted: set[str], worth: bool) -> None:
    assert needs_rerun(GREEN, replace(GREEN, doubted=frozenset(doubted))) is worth


FLAKY = frozenset({A})


@pytest.mark.parametrize(
    ("first", "second", "when", "result"),
    [
        (RED, RED, "after", RED),
        # Before the work the worse counts, of the work the better.
        (RED, GREEN, "before", suite({A: "failed"}, flaky=FLAKY)),
        (RED, GREEN, "after", suite({A: "passed"}, flaky=FLAKY)),
        (suite({A: "failed", B: "passed"}), suite({A: "failed", B: "skipped"}), "before",
         suite({A: "failed", B: "skipped"}, flaky=frozenset({B}))),
        (suite({A: "failed", B: "skipped"}), suite({A: "failed", B: "passed"}), "after",
         suite({A: "failed", B: "passed"}, flaky=frozenset({B}))),
        # What is not always there cannot be missed later; what failed and is gone has failed.
        (suite({A: "failed", B: "passed"}), RED, "before",
         suite({A: "failed"}, flaky=frozenset({B}))),
        (suite({A: "passed", B: "failed"}), GREEN, "after", suite({A: "passed", B: "failed"}, 0)),
        # The command itself.
        (BROKEN, BROKEN, "before", BROKEN),
        (suite(exit_code=0), BROKEN, "after", suite(exit_code=0, flaky=frozenset({TEST_COMMAND}))),
        # Where its tests pass at last and it fails all the same, it is not the tests.
        (RED, suite({A: "passed"}, 1), "after",
         SuiteRun(evidence(1), GREEN.report, FLAKY, is_broken=True)),
        # A second run that shows nothing takes nothing back.
        (RED, cut(), "after", RED),
        (RED, illegible(), "after", RED),
        (RED, suite(exit_code=139), "after", RED),
        (suite({A: "failed"}, coverage=70), suite({A: "failed"}, coverage=60), "before",
         suite({A: "failed"}, coverage=60)),
        (suite({A: "failed"}, coverage=70), suite({A: "failed"}, coverage=60), "again",
         suite({A: "failed"}, coverage=70)),
        (suite({A: "failed"}), suite({A: "failed"}, coverage=60), "after",
         suite({A: "failed"}, coverage=60)),
    ],
)  # fmt: skip
def test_two_runs_are_read_as_one(
    first: SuiteRun, second: SuiteRun, when: CheckTiming, result: SuiteRun
) -> None:
    assert merge_runs(first, second, when) == result


def test_a_command_that_fails_once_without_a_word_is_flaky() -> None:
    both = merge_runs(BROKEN, suite(exit_code=0), "after")

    assert both == suite(exit_code=0, flaky=frozenset({TEST_COMMAND}))
