"""What the specification checks is carried by some deliverable, whatever the agent makes of it."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.builders import claimed
from tests.unit.workflows.deliver.board_harness import (
    ONE,
    TWO,
    BoardHarness,
    make_board_harness,
    new_entry,
    reopen_board,
    with_checks,
)
from treadle.domain.agent import ToolReply
from treadle.domain.check import Check, CheckOrigin
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.verification import CheckAdded
from treadle.domain.events.work import DeliverableCreated, StatusAdopted
from treadle.verify.checks.spec_checks import SpecCheck
from treadle.workflows.deliver.pass_rules import PassRules
from treadle.workflows.deliver.spec_check_owners import missing_checks, owner_of_unmatched_checks

SEEN = "DL-1 can be seen"
OF_ONE = SpecCheck(3, "*DL-1* can be seen.", "make seen")
ENDS = SpecCheck(5, "It ends.", "make end")
TERMS = PassRules(spec_checks=(OF_ONE, ENDS))
BY_SPEC = with_checks(ONE, "make seen", origin="spec")
SPEC = Deliverable(
    "SPEC",
    "Checks of the whole specification",
    ("It ends.",),
    checks=(Check("It ends.", "make end", "spec"),),
)


@pytest.fixture
def harness(tmp_path: Path) -> BoardHarness:
    return make_board_harness(tmp_path, rules=TERMS)


@pytest.mark.parametrize("given", [SEEN, {"text": SEEN, "check": "true"}])
async def test_a_criterion_of_the_specification_gets_its_check_and_the_rest_comes_behind(
    harness: BoardHarness, given: object
) -> None:
    entry = {**new_entry("DL-1"), "acceptanceCriteria": [given]}

    reply = await harness.use("create_deliverable", deliverables=[entry, new_entry("DL-2")])

    harness.board.add_unmatched_checks()

    made = (BY_SPEC, TWO, SPEC)
    assert reply == ToolReply("Created 2: DL-1, DL-2.")
    assert harness.events == [DeliverableCreated(each) for each in made]
    assert harness.board.deliverables == harness.saved() == made


async def test_checks_that_are_carried_are_not_carried_twice(harness: BoardHarness) -> None:
    await harness.create("DL-1")
    harness.board.add_unmatched_checks()
    harness.events.clear()

    replies = [
        await harness.create("DL-2"),
        await harness.create("DL-1"),
        await harness.create("DL-2"),
    ]

    again = ToolReply("They were created already.")
    assert replies == [ToolReply("Created 1: DL-2."), again, again]
    harness.board.add_unmatched_checks()
    assert harness.saved() == (BY_SPEC, SPEC, TWO)


async def test_a_plan_of_several_calls_owns_all_checks_before_the_rest_comes_behind(
    harness: BoardHarness,
) -> None:
    await harness.create("DL-2")
    await harness.use("create_deliverable", deliverables=[new_entry("DL-1")])
    harness.board.add_unmatched_checks()

    assert harness.saved() == (TWO, BY_SPEC, SPEC)


async def test_a_call_that_is_refused_brings_no_checks_of_the_specification(
    harness: BoardHarness,
) -> None:
    reply = await harness.create("DL-1", "DL-1")

    assert (reply.is_error, harness.events) == (True, [])


def test_a_run_without_deliverables_leaves_the_specification_to_the_agent(
    harness: BoardHarness,
) -> None:
    assert (harness.events, harness.board.deliverables) == ([], ())


def test_deliverables_that_are_older_than_the_checks_get_them(tmp_path: Path) -> None:
    harness = make_board_harness(tmp_path, left=[ONE, TWO], rules=TERMS)
    harness.board.add_unmatched_checks()

    assert harness.events == [
        StatusAdopted((ONE, TWO), "earlier_run"),
        CheckAdded("DL-1", Check(SEEN, "make seen", "spec")),
        DeliverableCreated(SPEC),
    ]
    assert harness.board.deliverables == harness.saved() == (BY_SPEC, TWO, SPEC)


def test_a_pass_that_was_proven_by_what_the_specification_said_once_is_a_claim(
    tmp_path: Path,
) -> None:
    once = Check(SEEN, "make once", "spec", "failed")
    proven = replace(claimed("DL-1", "ab12"), checks=(once,), proof="proven")
    harness = make_board_harness(tmp_path, left=[proven, SPEC], rules=TERMS)

    now = replace(claimed("DL-1", "ab12"), checks=(Check(SEEN, "make seen", "spec"),))
    assert harness.board.deliverables == harness.saved() == (now, SPEC)


@pytest.mark.parametrize("told", [0, 1, 2])
def test_a_process_that_takes_over_carries_what_the_last_one_did_not(
    tmp_path: Path, told: int
) -> None:
    whole = make_board_harness(tmp_path / "whole", left=[ONE, TWO], rules=TERMS)
    whole.board.add_unmatched_checks()
    cut = make_board_harness(tmp_path / "cut", left=[ONE, TWO])

    after = reopen_board(cut, *whole.events[1 : 1 + told], rules=TERMS)
    after.board.add_unmatched_checks()

    assert after.events == whole.events[1 + told :]
    assert after.saved() == after.board.deliverables == (BY_SPEC, TWO, SPEC)
    assert reopen_board(whole, rules=TERMS).events == []


@pytest.mark.parametrize(
    ("command", "origin", "missing"),
    [
        ("make seen", "spec", False),
        ("make seen", "agent", True),  # from now on it is the user's
        ("make other", "agent", True),
        ("make other", "spec", True),  # as the specification once had it
        ("make other", "person", False),
        ("make seen", "person", False),
    ],
)
def test_the_specification_comes_before_an_agent_and_a_person_before_both(
    command: str, origin: CheckOrigin, missing: bool
) -> None:
    found = missing_checks(with_checks(ONE, command, origin=origin), (OF_ONE, ENDS))

    assert found == ((Check(SEEN, "make seen", "spec"),) if missing else ())


def test_a_second_deliverable_of_the_specification_has_another_id() -> None:
    taken = (SPEC, replace(SPEC, id="SPEC-2", acceptance_criteria=("x",), checks=()))

    found = owner_of_unmatched_checks(taken, (OF_ONE, ENDS))

    assert found == Deliverable(
        "SPEC-3",
        SPEC.description,
        (OF_ONE.text,),
        checks=(Check(OF_ONE.text, "make seen", "spec"),),
    )
    assert owner_of_unmatched_checks((*taken, ONE), (OF_ONE, ENDS)) is None
