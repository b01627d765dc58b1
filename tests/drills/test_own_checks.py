"""Agents that write their own judge: a check of the plan, or leave for a test to disappear."""

import pytest

from tests.acceptance.harness import CommandHarness
from tests.drills.base_numbers import HALF, PRODUCT, TESTS, UNITTEST
from tests.drills.drilled_run import (
    CRITERION,
    Outcome,
    account,
    deliver,
    outcome,
    plan,
    prepare,
    work,
)
from tests.drills.trick import BaseProject

pytestmark = [pytest.mark.slow]

AGENT_CHECK = "the agent wrote the check"
EMPTY = BaseProject({"app.py": "print('nothing')\n"})
OWN_CHECK = {"text": CRITERION, "check": "test -f done.txt"}
DONE = {"done.txt": "done\n"}


def test_a_check_of_the_planning_agent_gives_self_tested_at_most(harness: CommandHarness) -> None:
    prepare(harness, EMPTY)

    finished = deliver(harness, EMPTY, plan(OWN_CHECK), work(DONE))

    assert outcome(harness, finished) == Outcome("self-tested", AGENT_CHECK, "all_passed", 0), (
        account(finished)
    )


def test_such_a_check_is_not_enough_where_proof_is_required(harness: CommandHarness) -> None:
    base = BaseProject(EMPTY.files, settings={"verify.require": '"proven"'})
    prepare(harness, base)

    finished = deliver(harness, base, plan(OWN_CHECK), work(DONE))

    assert outcome(harness, finished) == Outcome("self-tested", AGENT_CHECK, "unproven", 3), (
        account(finished)
    )


def test_a_check_that_the_implementer_adds_gives_self_tested_at_most(
    harness: CommandHarness,
) -> None:
    prepare(harness, EMPTY)
    given = {"deliverableId": "DL-001", "criterion": CRITERION, "command": "test -f done.txt"}
    add = {"tool": "mcp__treadle__add_check", "input": given}

    finished = deliver(harness, EMPTY, plan(CRITERION), work(DONE, first=(add,)))

    assert outcome(harness, finished) == Outcome("self-tested", AGENT_CHECK, "all_passed", 0), (
        account(finished)
    )


def test_a_plan_cannot_allow_a_test_to_disappear(harness: CommandHarness) -> None:
    prepare(harness, UNITTEST)
    files = {**PRODUCT, "test_it.py": TESTS.replace(HALF, "")}
    leave = "test_half in test_it.py is removed: it is obsolete"

    finished = deliver(harness, UNITTEST, plan(CRITERION, leave), work(files))

    assert outcome(harness, finished) == Outcome(
        None,
        "test_it.Numbers::test_half: it was passed before the work, and is not there any more",
        "max_iterations",
        5,
    ), account(finished)
