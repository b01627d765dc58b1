"""The board of a run that lost its process: the log comes first, and a person's edit stands."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builders import claimed, deliverable
from tests.unit.workflows.deliver.board_harness import (
    ONE,
    THREE,
    TWO,
    BoardHarness,
    history_of,
    make_board_harness,
    reopen_board,
)
from treadle.domain.agent import ToolReply
from treadle.domain.deliverable import Deliverable, DeliverableStatus
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RoundStarted, RunWarned
from treadle.domain.events.work import DeliverableChanged, DeliverableCreated, StatusAdopted
from treadle.workflows.deliver.status_merge import missing_from_file

COMMIT = "a1" * 20
BLOCKED = deliverable("DL-1", "blocked")
PERSONS = deliverable("DL-1", "passed")


@pytest.fixture
def harness(tmp_path: Path) -> BoardHarness:
    return make_board_harness(tmp_path)


def changed(name: str, before: DeliverableStatus, after: DeliverableStatus) -> DeliverableChanged:
    proof = "claimed" if after == "passed" else None
    return DeliverableChanged(name, f"What {name} is about", before, after, proof)  # type: ignore[arg-type]


PASS, UNPASS = changed("DL-1", "pending", "passed"), changed("DL-1", "passed", "pending")
BLOCK = changed("DL-1", "pending", "blocked")
CREATED = DeliverableCreated(ONE)


@pytest.mark.parametrize(
    ("log", "found", "missing"),
    [
        # the file has all that the log has
        ([], [], ()),
        ([CREATED], [ONE], ()),
        ([CREATED, PASS], [claimed("DL-1")], ()),
        ([CREATED, PASS], [claimed("DL-1", COMMIT)], ()),
        ([CREATED, PASS, UNPASS], [ONE], ()),
        # stored, and the file not written any more
        ([CREATED], [], (ONE,)),
        ([CREATED, DeliverableCreated(TWO)], [ONE], (TWO,)),
        ([CREATED, PASS], [ONE], (claimed("DL-1"),)),
        ([CREATED, PASS, UNPASS], [claimed("DL-1", COMMIT)], (ONE,)),
        ([CREATED, BLOCK], [ONE], (BLOCKED,)),
        # the file is gone, or never came to be
        ([CREATED, PASS], [], (claimed("DL-1"),)),
        ([CREATED, BLOCK, DeliverableCreated(TWO)], [], (BLOCKED, TWO)),
        # a person's edit: not what the last change began from
        ([CREATED, PASS], [BLOCKED], ()),
        ([CREATED, PASS, UNPASS], [BLOCKED], ()),
        ([CREATED, BLOCK], [PERSONS], ()),
        ([CREATED], [PERSONS], ()),
        ([CREATED], [ONE, THREE], ()),
        ([CREATED], [Deliverable("DL-1", "Reworded", ("new words",))], ()),
        # both: the change goes into the words of the person
        (
            [CREATED, BLOCK],
            [Deliverable("DL-1", "Reworded", ("new words",))],
            (Deliverable("DL-1", "Reworded", ("new words",), "blocked"),),
        ),
        # what was adopted is no change of ours
        ([StatusAdopted((PERSONS,), "hand_edit")], [ONE], ()),
        ([CREATED, PASS, StatusAdopted((ONE,), "hand_edit")], [ONE], ()),
    ],
)
def test_what_the_log_has_and_the_file_has_not(
    log: list[Event], found: Sequence[Deliverable], missing: tuple[Deliverable, ...]
) -> None:
    assert missing_from_file(found, history_of(*log)) == missing


async def test_a_change_that_was_stored_and_not_written_is_written(harness: BoardHarness) -> None:
    await harness.create("DL-1", "DL-2")

    after = reopen_board(harness, changed("DL-2", "pending", "passed"), DeliverableCreated(THREE))

    assert after.saved() == after.board.deliverables == (ONE, claimed("DL-2"), THREE)
    assert after.events == []


async def test_a_board_that_has_nothing_to_catch_up_with_leaves_the_file_alone(
    harness: BoardHarness,
) -> None:
    await harness.create("DL-1", "DL-2")
    await harness.set_status("DL-1", "passed")
    harness.board.confirm_passes(COMMIT)
    before = harness.path.stat().st_mtime_ns, harness.path.read_bytes()

    after = reopen_board(harness)

    assert (harness.path.stat().st_mtime_ns, harness.path.read_bytes()) == before
    assert after.board.deliverables == (claimed("DL-1", COMMIT), TWO)
    assert after.events == []


async def test_an_edit_that_a_person_made_while_nobody_worked_stands(harness: BoardHarness) -> None:
    await harness.create("DL-1", "DL-2")
    await harness.set_status("DL-1", "passed")
    edited = (deliverable("DL-1", "blocked"), Deliverable("DL-2", "Reworded", ("words",)), THREE)
    harness.edit(*edited)

    after = reopen_board(harness)

    assert after.saved() == after.board.deliverables == edited


async def test_an_edit_and_a_change_that_was_not_written_are_both_kept(
    harness: BoardHarness,
) -> None:
    await harness.create("DL-1", "DL-2")
    harness.edit(Deliverable("DL-1", "Reworded", ("words",)), TWO, THREE)

    after = reopen_board(harness, PASS)

    passed = claimed("DL-1")
    reworded = replace(passed, description="Reworded", acceptance_criteria=("words",))
    assert after.saved() == after.board.deliverables == (reworded, TWO, THREE)


async def test_a_file_that_is_gone_is_written_again_from_the_log(harness: BoardHarness) -> None:
    await harness.create("DL-1", "DL-2", "DL-3")
    await harness.set_status("DL-1", "passed")
    await harness.set_status("DL-2", "blocked")
    harness.path.unlink()

    after = reopen_board(harness)

    expected = (claimed("DL-1"), deliverable("DL-2", "blocked"), THREE)
    assert after.saved() == after.board.deliverables == expected


async def test_a_pass_that_is_caught_up_with_gets_the_commit_of_its_round(
    harness: BoardHarness,
) -> None:
    await harness.create("DL-1")

    after = reopen_board(harness, PASS)
    after.board.confirm_passes(COMMIT)

    assert after.saved() == (claimed("DL-1", COMMIT),)


async def test_a_rehearsal_marks_the_passes_that_it_catches_up_with(harness: BoardHarness) -> None:
    await harness.create("DL-1")

    assert reopen_board(harness, PASS, rehearsed=True).saved() == (claimed("DL-1", rehearsed=True),)


async def test_a_broken_file_is_reported_by_its_line_and_replaced_by_what_the_log_says(
    harness: BoardHarness,
) -> None:
    await harness.create("DL-1")
    harness.path.write_text("{\n  broken")

    after = reopen_board(harness, PASS)
    after.board.adopt()

    assert after.board.deliverables == after.saved() == (claimed("DL-1"),)
    assert after.path.with_suffix(".json.refused").read_text() == "{\n  broken"
    (told,) = after.events
    assert isinstance(told, RunWarned)
    assert told.message.startswith(f"{harness.path}:2: not valid JSON")


async def test_the_rounds_passes_are_known_again_for_its_commit_message(
    harness: BoardHarness,
) -> None:
    await harness.create("DL-1", "DL-2", "DL-3")
    await harness.set_status("DL-3", "passed")
    harness.events.append(RoundStarted(2, "coding"))
    for name in ("DL-1", "DL-2"):
        await harness.set_status(name, "passed")
    await harness.set_status("DL-2", "pending")

    after = reopen_board(harness)

    assert [d.id for d in after.board.passed_this_round] == ["DL-1"]


async def test_an_agent_that_asks_again_for_what_was_stored_gets_it_once(
    harness: BoardHarness,
) -> None:
    await harness.create("DL-1")

    after = reopen_board(harness, DeliverableCreated(TWO))
    reply = await after.create("DL-2", "DL-3")

    assert reply == ToolReply("Created 1: DL-3.")
    assert after.events == [DeliverableCreated(THREE)]
    assert after.saved() == (ONE, TWO, THREE)


async def test_what_is_blocked_becomes_pending_for_another_try(harness: BoardHarness) -> None:
    await harness.create("DL-1", "DL-2", "DL-3")
    await harness.set_status("DL-1", "blocked")
    await harness.set_status("DL-2", "passed")
    harness.events.clear()

    harness.board.unblock()
    harness.board.unblock()

    assert harness.events == [changed("DL-1", "blocked", "pending")]
    assert harness.saved() == harness.board.deliverables == (ONE, claimed("DL-2"), THREE)
