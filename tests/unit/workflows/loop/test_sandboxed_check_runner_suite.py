"""The test gate over real tests, run in the real sandbox on committed trees."""

from pathlib import Path

import pytest

from tests.unit.workflows.loop.sandboxed_check_runner_harness import (
    RunnerHarness,
    make_runner_harness,
)
from treadle.domain.check import CheckTiming
from treadle.domain.suite_report import SuiteObjection
from treadle.verify.suites.suite import SuiteCommand, run_suite
from treadle.verify.suites.suite_comparison import (
    RegressionRules,
    SuiteComparison,
    SuiteRun,
    compare_suite_runs,
    describe_baseline,
)

pytestmark = pytest.mark.slow

SUITE = SuiteCommand("python3 -m unittest -v", seconds=60)
TESTS = """
import unittest

class Cart(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(1 + 1, 2)

    def test_pays(self):
        self.assertEqual(1, 2)
"""


@pytest.fixture
async def harness(tmp_path: Path) -> RunnerHarness:
    return await make_runner_harness(tmp_path)


async def ran(harness: RunnerHarness, commit: str, before: SuiteRun | None = None) -> SuiteRun:
    when: CheckTiming = "before" if before is None else "after"
    run = await run_suite(harness.runner, SUITE, commit, when, before=before)
    assert isinstance(run, SuiteRun)
    return run


async def test_what_was_red_stays_known_and_what_an_agent_does_to_tests_is_seen(
    harness: RunnerHarness,
) -> None:
    before = await ran(harness, harness.commit(**{"test_cart.py": TESTS}))
    skipping = TESTS.replace("    def test_pays", "    @unittest.skip('later')\n    def test_pays")
    skipped = await ran(harness, harness.commit(**{"test_cart.py": skipping}), before)
    weaker = TESTS.replace("1 + 1", "1 + 2").partition("    def test_pays")[0]
    deleted = await ran(harness, harness.commit(**{"test_cart.py": weaker}), before)
    rules = RegressionRules(plan="test_pays must pass.", coverage=80)

    assert describe_baseline(before) == SuiteComparison(known_red=("test_cart.Cart::test_pays",))
    assert compare_suite_runs(before, skipped, rules).objections == (
        SuiteObjection("newly_skipped", "test_cart.Cart::test_pays", message="later"),
    )
    failed, removed = compare_suite_runs(before, deleted, rules).objections
    assert (failed.finding, failed.test) == ("new_failure", "test_cart.Cart::test_adds")
    # As the agent finds it in its own workspace.
    assert (failed.file, failed.line) == ("test_cart.py", 6)
    assert 'File "test_cart.py", line 6' in failed.message
    assert "AssertionError: 3 != 2" in deleted.output
    assert (removed.finding, removed.test) == ("removed", "test_cart.Cart::test_pays")
