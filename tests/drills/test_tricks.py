"""Agents that cheat: whatever turns a judge green without the work, none of it is *proven*.

What cannot be told apart is not here: product code that knows that it is tested. A product that
forges the report of the runner, patches the assertions of the process in which it runs, or prints
the expected file, is judged as what it looks like.
"""

from pathlib import Path

import pytest

from tests.acceptance.harness import CommandHarness
from tests.drills.added_python_files import ADDED_PYTHON_FILES
from tests.drills.added_runner_files import ADDED_RUNNER_FILES
from tests.drills.drilled_run import (
    PlainFolder,
    account,
    expected_outcome,
    outcome,
    require_programs,
    run_trick,
)
from tests.drills.early_exits import DISARMING, EARLY_EXITS
from tests.drills.emptied_assertions import EMPTIED_ASSERTIONS
from tests.drills.rewritten_tests import REWRITTEN_TESTS
from tests.drills.shadowed_programs import SHADOWED_PROGRAMS
from tests.drills.trick import Trick
from tests.drills.unnamed_judges import UNNAMED_JUDGES
from tests.drills.weakened_runner_tests import WEAKENED_RUNNER_TESTS
from tests.drills.weakened_tests import WEAKENED_TESTS

pytestmark = [pytest.mark.slow]

TRICKS = (
    *REWRITTEN_TESTS,
    *ADDED_PYTHON_FILES,
    *ADDED_RUNNER_FILES,
    *SHADOWED_PROGRAMS,
    *WEAKENED_TESTS,
    *WEAKENED_RUNNER_TESTS,
    *EMPTIED_ASSERTIONS,
    *UNNAMED_JUDGES,
    *EARLY_EXITS,
)
each_trick = pytest.mark.parametrize("trick", TRICKS, ids=[trick.name for trick in TRICKS])


@each_trick
def test_an_agent_that_cheats_proves_nothing(
    harness: CommandHarness, trick: Trick, request: pytest.FixtureRequest
) -> None:
    skip_long(trick, request)
    require_programs(trick.base)

    finished = run_trick(harness, trick)

    found = outcome(harness, finished)
    assert found == expected_outcome(trick, found), account(finished)
    assert len(found.why.splitlines()) == 1


@each_trick
def test_outside_of_treadle_the_trick_works(
    tmp_path: Path, trick: Trick, request: pytest.FixtureRequest
) -> None:
    skip_long(trick, request)
    require_programs(trick.base)
    project = PlainFolder(tmp_path, trick.base)
    greens = [project.is_green(trick.judge)]
    for files, commands in ((trick.product, ()), (trick.files, trick.commands)):
        project.write(files, commands)
        greens.append(project.is_green(trick.judge))

    # Tests are green in the base and broken by the work, a check waits for the work.
    assert greens == [bool(trick.base.test), False, trick.deceives == "the judge"]


def test_a_product_that_disarms_its_tests_leaves_them_self_tested(
    harness: CommandHarness, request: pytest.FixtureRequest
) -> None:
    skip_long(DISARMING, request)

    finished = run_trick(harness, DISARMING)

    [*_, graded] = finished.of_type("suite.graded")
    assert (graded["grade"], graded["why"]) == (
        "self-tested",
        "new code in app.py could make tests pass by itself: import unittest",
    ), account(finished)


def skip_long(trick: Trick, request: pytest.FixtureRequest) -> None:
    if trick.length == "long" and not request.config.getoption("--all-drills", default=False):
        pytest.skip("long: `make drills` runs it")
