"""Checks by tool: given with a criterion or added to it, shown to agents, never changed by them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.unit.workflows.deliver.board_harness import (
    ONE,
    TWO,
    BoardHarness,
    finished,
    make_board_harness,
    new_entry,
    reopen_board,
    with_checks,
)
from treadle.domain.agent import ToolReply
from treadle.domain.check import Check
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.verification import CheckAdded
from treadle.domain.events.work import DeliverableCreated
from treadle.verify.checks.spec_checks import SpecCheck
from treadle.workflows.deliver.pass_rules import PassRules

SEEN = "DL-1 can be seen"
CHECKED = with_checks(ONE, "./run | grep seen")
BOTH = Deliverable("DL-3", "Two things", ("It begins", "It ends"))


@pytest.fixture
def harness(tmp_path: Path) -> BoardHarness:
    return make_board_harness(tmp_path)


def entry(*criteria: Any) -> dict[str, Any]:
    return {**new_entry("DL-1"), "acceptanceCriteria": list(criteria)}


async def test_a_criterion_is_a_text_or_a_text_with_a_check(harness: BoardHarness) -> None:
    begins = {"text": "It begins", "check": " make begin "}
    given = {
        "id": "DL-3",
        "description": "Two things",
        "acceptanceCriteria": [begins, {"text": "It ends"}],
    }

    reply = await harness.use("create_deliverable", deliverables=[given, new_entry("DL-2")])

    made = replace(BOTH, checks=(Check("It begins", "make begin"),))
    assert reply == ToolReply("Created 2: DL-3, DL-2.")
    assert harness.events == [DeliverableCreated(made), DeliverableCreated(TWO)]
    assert harness.board.deliverables == harness.saved() == (made, TWO)


WANTED = (
    '`acceptanceCriteria` must be a list of strings, or of {"text": …, "check": "shell command"}.'
)


@pytest.mark.parametrize(
    ("criteria", "answer"),
    [
        ([{"text": SEEN, "check": 1}], WANTED),
        ([{"check": "make"}], WANTED),
        ([{"text": ["x"]}], WANTED),
        ([["x"]], WANTED),
        (
            [{"text": SEEN, "check": " "}],
            f"Deliverable DL-1: the check for {SEEN!r} has an empty command.",
        ),
        (
            [{"text": SEEN, "check": "a"}, {"text": SEEN, "check": "b"}],
            f"Deliverable DL-1: there are two checks for {SEEN!r}: a criterion has one at most.",
        ),
        (
            [{"text": " ", "check": "a"}],
            "Deliverable DL-1 needs acceptance criteria, none of them empty.",
        ),
    ],
)
async def test_a_check_that_cannot_be_creates_nothing_and_says_why(
    harness: BoardHarness, criteria: list[Any], answer: str
) -> None:
    reply = await harness.use("create_deliverable", deliverables=[entry(*criteria)])

    assert (reply, harness.events) == (ToolReply(answer, is_error=True), [])


def test_what_the_tools_take_is_what_their_schemas_say(harness: BoardHarness) -> None:
    schemas = {tool.name: Draft202012Validator(tool.schema) for tool in harness.board.tools()}
    create, add = schemas["create_deliverable"], schemas["add_check"]

    taken: list[Any] = [SEEN, {"text": SEEN}, {"text": SEEN, "check": "make"}]
    refused: list[Any] = [1, {"check": "make"}, {"text": SEEN, "check": 1}]
    for criteria, valid in ((taken, True), (refused, False)):
        called = [{"deliverables": [entry(criterion)]} for criterion in criteria]
        assert [create.is_valid(each) for each in called] == [valid] * 3
    assert add.is_valid({"deliverableId": "DL-1", "criterion": SEEN, "command": "make"})
    assert not add.is_valid({"deliverableId": "DL-1", "criterion": SEEN})


async def test_a_check_is_added_recorded_and_saved_once(harness: BoardHarness) -> None:
    await harness.create("DL-1", "DL-2")
    harness.events.clear()

    replies = [
        await harness.add_check("DL-1", "DL-1 can be **seen**.", " ./run | grep seen"),
        await harness.add_check("DL-1", SEEN, "./run | grep seen"),
    ]

    assert replies == [ToolReply("DL-1 has this check now: ./run | grep seen")] * 2
    assert harness.events == [CheckAdded("DL-1", Check(SEEN, "./run | grep seen"))]
    assert harness.board.deliverables == harness.saved() == (CHECKED, TWO)


@pytest.mark.parametrize(
    ("name", "criterion", "command", "answer"),
    [
        ("DL-9", SEEN, "make", "Deliverable DL-9 not found. Known ids: DL-1."),
        (
            "DL-1",
            "Else",
            "make",
            f"DL-1 has no criterion 'Else'. Its criteria are: {SEEN}",
        ),
        ("DL-1", SEEN, " ", "The check has an empty command."),
        (
            "DL-1",
            SEEN,
            "true",
            f"{SEEN!r} has a check already, and no agent changes one: ./run | grep seen",
        ),
    ],
)
async def test_a_check_that_cannot_be_added_changes_nothing_and_says_why(
    tmp_path: Path, name: str, criterion: str, command: str, answer: str
) -> None:
    harness = make_board_harness(tmp_path, left=[CHECKED])
    harness.events.clear()

    reply = await harness.add_check(name, criterion, command)

    assert (reply, harness.events) == (ToolReply(answer, is_error=True), [])
    assert harness.saved() == (CHECKED,)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"deliverableId": "DL-1", "criterion": SEEN},
        {"deliverableId": "DL-1", "criterion": SEEN, "command": 1},
        {"deliverableId": "DL-1", "criterion": SEEN, "command": ["./run"]},
    ],
)
async def test_a_check_whose_words_are_not_all_there_is_asked_for_again(
    tmp_path: Path, arguments: dict[str, Any]
) -> None:
    harness = make_board_harness(tmp_path, left=[CHECKED])
    harness.events.clear()

    reply = await harness.use("add_check", **arguments)

    wanted = "`deliverableId`, `criterion` and `command` must be strings."
    assert (reply, harness.events) == (ToolReply(wanted, is_error=True), [])


async def test_an_agent_cannot_change_a_check_by_creating_the_deliverable_again(
    tmp_path: Path,
) -> None:
    harness = make_board_harness(tmp_path, left=[CHECKED])
    harness.events.clear()

    replies = [
        await harness.use(
            "create_deliverable", deliverables=[entry({"text": SEEN, "check": "true"})]
        ),
        await harness.use("create_deliverable", deliverables=[entry(SEEN)]),
    ]

    assert replies == [
        ToolReply("Deliverable DL-1 already exists: choose another id.", is_error=True),
        ToolReply("They were created already."),
    ]
    assert (harness.events, harness.saved()) == ([], (CHECKED,))


async def test_a_line_that_is_not_run_for_an_agent_becomes_no_check(tmp_path: Path) -> None:
    terms = PassRules(
        why_not_run=lambda line: "A person must agree." if "publish" in line else "",
        spec_checks=(SpecCheck(1, "DL-2 can be seen", "make publish"),),
    )
    harness = make_board_harness(tmp_path, left=[ONE], rules=terms)
    harness.events.clear()
    given = {**new_entry("DL-2"), "acceptanceCriteria": [{"text": SEEN, "check": "npm publish"}]}

    replies = [
        await harness.add_check("DL-1", SEEN, "npm publish"),
        await harness.use("create_deliverable", deliverables=[given]),
    ]

    told = f"Treadle does not run the check for {SEEN!r}: A person must agree."
    assert replies == [ToolReply(told, is_error=True)] * 2
    assert harness.events == []
    # What the user's own specification says is not the agent's.
    assert not (await harness.create("DL-2")).is_error


async def test_checks_are_listed_with_what_was_seen_of_them(harness: BoardHarness) -> None:
    await harness.create("DL-1", "DL-2")
    await harness.add_check("DL-1", SEEN, "make")
    unseen = json.loads((await harness.use("list_deliverables")).text)
    await harness.set_status("DL-1", "passed")
    harness.board.set_before(finished("DL-1", Check(SEEN, "make")))
    seen = json.loads((await harness.use("list_deliverables")).text)

    check, two = (
        {"criterion": SEEN, "command": "make"},
        {**new_entry("DL-2"), "status": "pending"},
    )
    one = {**new_entry("DL-1"), "status": "pending", "checks": [check]}
    claimed = {**one, "checks": [{**check, "before": "failed"}], "claimed": True}
    assert (unseen, seen) == ([one, two], [claimed, two])


async def test_a_check_that_was_stored_and_not_written_is_written(harness: BoardHarness) -> None:
    await harness.create("DL-1", "DL-2")

    after = reopen_board(harness, CheckAdded("DL-1", CHECKED.checks[0]))

    assert after.saved() == after.board.deliverables == (CHECKED, TWO)
    assert after.events == []


async def test_what_is_said_of_secrets_in_a_check_is_the_runs_to_decide(tmp_path: Path) -> None:
    harness = make_board_harness(
        tmp_path, left=[ONE], clean=lambda given: {**given, "command": "cleaned"}
    )

    await harness.add_check("DL-1", SEEN, "curl --header secret")

    assert harness.saved() == (with_checks(ONE, "cleaned"),)
