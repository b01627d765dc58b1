"""The deliverable tools: whole replies, all or nothing, and events before the file."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.builders import FakeClock, claimed, deliverable
from tests.unit.workflows.deliver.board_harness import (
    ONE,
    TWO,
    BoardHarness,
    make_board_harness,
    new_entry,
)
from treadle.adapters.stores.status_file import StatusFile
from treadle.domain.agent import ToolReply
from treadle.domain.deliverable import Tally
from treadle.domain.errors import StoreError
from treadle.domain.events.all_events import Event
from treadle.domain.events.work import DeliverableChanged, DeliverableCreated
from treadle.workflows.deliver.board import DeliverableBoard
from treadle.workflows.deliver.board_limits import MOST_DELIVERABLES


@pytest.fixture
def harness(tmp_path: Path) -> BoardHarness:
    return make_board_harness(tmp_path)


async def test_deliverables_are_created_recorded_and_saved(harness: BoardHarness) -> None:
    reply = await harness.create("DL-1", "DL-2")

    assert reply == ToolReply("Created 2: DL-1, DL-2.")
    assert harness.events == [DeliverableCreated(ONE), DeliverableCreated(TWO)]
    assert harness.board.deliverables == harness.saved() == (ONE, TWO)
    assert harness.board.tally() == Tally(total=2)


async def test_a_status_is_changed_recorded_and_saved_and_a_pass_is_a_claim(
    harness: BoardHarness,
) -> None:
    await harness.create("DL-1", "DL-2")
    harness.events.clear()

    replies = [
        await harness.set_status("DL-1", "passed"),
        await harness.set_status("DL-2", "blocked"),
        await harness.set_status("DL-1", "pending"),
    ]

    assert replies == [
        ToolReply("DL-1 is passed now. 1 passed, 0 blocked, 1 pending."),
        ToolReply("DL-2 is blocked now. 1 passed, 1 blocked, 0 pending."),
        ToolReply("DL-1 is pending now. 0 passed, 1 blocked, 1 pending."),
    ]
    assert harness.events == [
        DeliverableChanged("DL-1", "What DL-1 is about", "pending", "passed", "claimed"),
        DeliverableChanged("DL-2", "What DL-2 is about", "pending", "blocked", None),
        DeliverableChanged("DL-1", "What DL-1 is about", "passed", "pending", None),
    ]
    assert harness.saved() == (ONE, deliverable("DL-2", "blocked"))


async def test_all_deliverables_are_listed_with_criteria_and_status(harness: BoardHarness) -> None:
    await harness.create("DL-1", "DL-2")
    await harness.set_status("DL-2", "blocked")

    reply = await harness.use("list_deliverables")

    assert (json.loads(reply.text), reply.is_error) == (
        [
            {**new_entry("DL-1"), "status": "pending"},
            {**new_entry("DL-2"), "status": "blocked"},
        ],
        False,
    )


LIST_WANTED = "Pass `deliverables`, a list of objects."
TEXTS_WANTED = "`id` and `description` must be strings."
CRITERIA_WANTED = (
    '`acceptanceCriteria` must be a list of strings, or of {"text": …, "check": "shell command"}.'
)


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ({}, LIST_WANTED),
        ({"deliverables": None}, LIST_WANTED),
        ({"deliverables": new_entry("DL-2")}, LIST_WANTED),
        ({"deliverables": json.dumps([new_entry("DL-2")])}, LIST_WANTED),
        ({"deliverables": []}, "No deliverables were given: pass at least one."),
        ({"deliverables": ["DL-2"]}, "Each deliverable must be an object."),
        ({"deliverables": [{**new_entry("x"), "id": 2}]}, TEXTS_WANTED),
        ({"deliverables": [{**new_entry("x"), "id": None}]}, TEXTS_WANTED),
        ({"deliverables": [{**new_entry("x"), "description": ["x"]}]}, TEXTS_WANTED),
        ({"deliverables": [{"id": "x", "acceptanceCriteria": ["y"]}]}, TEXTS_WANTED),
        ({"deliverables": [{"id": "x", "description": "y"}]}, CRITERIA_WANTED),
        ({"deliverables": [{**new_entry("x"), "acceptanceCriteria": "y"}]}, CRITERIA_WANTED),
        ({"deliverables": [{**new_entry("x"), "acceptanceCriteria": [1]}]}, CRITERIA_WANTED),
        (
            {"deliverables": [{**new_entry("x"), "acceptanceCriteria": []}]},
            "Deliverable x needs acceptance criteria, none of them empty.",
        ),
        (
            {"deliverables": [new_entry("DL-2"), {**new_entry("DL-1"), "description": "x"}]},
            "Deliverable DL-1 already exists: choose another id.",
        ),
        (
            {"deliverables": [new_entry("DL-2"), new_entry("DL-2")]},
            "Deliverable DL-2 already exists: choose another id.",
        ),
        (
            {"deliverables": [new_entry("DL-2"), {**new_entry("x"), "id": " "}]},
            "A deliverable needs an id, for example DL-001.",
        ),
    ],
)
async def test_a_call_that_cannot_be_met_creates_nothing_and_says_why(
    harness: BoardHarness, arguments: Mapping[str, Any], answer: str
) -> None:
    await harness.create("DL-1")
    harness.events.clear()

    assert await harness.use("create_deliverable", **arguments) == ToolReply(answer, is_error=True)
    assert (harness.events, harness.saved()) == ([], (ONE,))


async def test_a_board_that_is_full_takes_no_more_and_says_so(harness: BoardHarness) -> None:
    await harness.create("DL-1")
    many = [new_entry(f"M-{number}") for number in range(MOST_DELIVERABLES)]

    replies = [
        await harness.use("create_deliverable", deliverables=many),
        await harness.use("create_deliverable", deliverables=[*many, new_entry("M")]),
        await harness.use(
            "create_deliverable", deliverables=[{**new_entry("DL-2"), "description": "x" * 300_000}]
        ),
        await harness.add_check("DL-1", "DL-1 can be seen", "true " * 1000),
    ]

    assert [(reply.is_error, len(reply.text) < 300) for reply in replies] == [(True, True)] * 4
    assert harness.saved() == (ONE,)


@pytest.mark.parametrize("status", ["pending", "passed", "blocked"])
async def test_what_an_agent_asks_for_once_more_is_there_already_and_is_not_recorded_again(
    harness: BoardHarness, status: str
) -> None:
    await harness.create("DL-1")
    if status != "pending":
        await harness.set_status("DL-1", status)
    before = harness.saved()
    harness.events.clear()

    replies = [await harness.create("DL-1"), await harness.create("DL-1", "DL-2")]

    assert replies == [ToolReply("They were created already."), ToolReply("Created 1: DL-2.")]
    assert harness.events == [DeliverableCreated(TWO)]
    assert harness.saved() == (*before, TWO)


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (
            {"deliverableId": "DL-9", "status": "passed"},
            "Deliverable DL-9 not found. Known ids: DL-1.",
        ),
        ({"status": "passed"}, "`deliverableId` must be a string."),
        ({"deliverableId": 1, "status": "passed"}, "`deliverableId` must be a string."),
        (
            {"deliverableId": "DL-1", "status": "done"},
            "Unknown status 'done': use pending, passed or blocked.",
        ),
        ({"deliverableId": "DL-1"}, "Unknown status None: use pending, passed or blocked."),
        (
            {"deliverableId": "DL-1", "status": ["passed"]},
            "Unknown status ['passed']: use pending, passed or blocked.",
        ),
        (
            {"deliverableId": "DL-1", "status": "blocked"},
            "Deliverable DL-1 is passed: it cannot become blocked directly. "
            "Set it to pending first if the situation has really changed.",
        ),
        ({"deliverableId": "DL-1", "status": "passed"}, "Deliverable DL-1 is passed already."),
    ],
)
async def test_a_change_that_cannot_be_made_changes_nothing_and_says_why(
    harness: BoardHarness, arguments: Mapping[str, Any], answer: str
) -> None:
    await harness.create("DL-1")
    await harness.set_status("DL-1", "passed")
    harness.events.clear()

    assert await harness.use("set_deliverable_status", **arguments) == ToolReply(
        answer, is_error=True
    )
    assert (harness.events, harness.saved()) == ([], (claimed("DL-1"),))


async def test_nothing_is_written_to_the_file_that_the_log_did_not_take(tmp_path: Path) -> None:
    path = tmp_path / "status.json"

    def full(event: Event) -> None:
        raise StoreError("no space left")

    board = DeliverableBoard(StatusFile(path), full, FakeClock())
    create = board.tools()[0]

    with pytest.raises(StoreError):
        await create.call({"deliverables": [new_entry("DL-1")]})
    assert (path.exists(), board.deliverables) == (False, ())


async def test_events_are_recorded_before_the_file_changes(tmp_path: Path) -> None:
    path = tmp_path / "status.json"
    there: list[bool] = []
    board = DeliverableBoard(
        StatusFile(path), lambda event: there.append(path.exists()), FakeClock()
    )

    await board.tools()[0].call({"deliverables": [new_entry("DL-1"), new_entry("DL-2")]})

    assert (there, path.exists()) == ([False, False], True)
