"""People edit status.json while a run works: adopted, refused by line, put aside, never lost."""

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
    make_board_harness,
)
from treadle.adapters.stores.status_file import StatusFile
from treadle.domain.agent import ToolReply
from treadle.domain.deliverable import Claim, Deliverable, Tally
from treadle.domain.errors import ProjectError
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import DeliverableChanged, StatusAdopted


@pytest.fixture
def harness(tmp_path: Path) -> BoardHarness:
    return make_board_harness(tmp_path)


async def test_a_hand_edit_is_adopted_once(harness: BoardHarness) -> None:
    await harness.create("DL-1")
    harness.events.clear()
    edited = (deliverable("DL-1", "blocked"), deliverable("DL-2", "passed"), THREE)
    harness.edit(*edited)

    harness.board.adopt()
    harness.board.adopt()

    assert harness.events == [StatusAdopted(edited, "hand_edit")]
    assert harness.board.deliverables == harness.saved() == edited


async def test_a_tool_works_on_what_a_person_has_just_written(harness: BoardHarness) -> None:
    await harness.create("DL-1")
    harness.edit(ONE, TWO)
    harness.events.clear()

    reply = await harness.set_status("DL-2", "passed")

    assert reply == ToolReply("DL-2 is passed now. 1 passed, 0 blocked, 1 pending.")
    assert [event.type for event in harness.events] == ["status.adopted", "deliverable.changed"]


def test_an_edit_that_changes_no_deliverable_is_not_recorded(harness: BoardHarness) -> None:
    harness.edit()
    harness.board.adopt()

    assert harness.events == []


async def test_an_invalid_edit_is_reported_once_by_its_line_and_put_aside_at_the_next_change(
    harness: BoardHarness,
) -> None:
    await harness.create("DL-1")
    harness.events.clear()
    harness.path.write_text("{\n  broken")

    harness.board.adopt()
    harness.board.adopt()
    reply = await harness.set_status("DL-1", "passed")

    told, changed = harness.events
    assert isinstance(told, RunWarned)
    assert told.message == (
        f"{harness.path}:2: not valid JSON: Expecting property name enclosed in double quotes; "
        "continuing from the last valid state"
    )
    assert changed == DeliverableChanged(
        "DL-1", "What DL-1 is about", "pending", "passed", "claimed"
    )
    assert not reply.is_error
    assert harness.saved() == (claimed("DL-1"),)
    assert harness.path.with_suffix(".json.refused").read_text() == "{\n  broken"


def test_a_run_does_not_begin_on_an_invalid_file(tmp_path: Path) -> None:
    (tmp_path / ".treadle").mkdir()
    (tmp_path / ".treadle/status.json").write_text('{"deliverables": [\n{"id": 1}]}')

    with pytest.raises(ProjectError, match=r"status\.json:2: a deliverable needs an `id`"):
        make_board_harness(tmp_path)


class SavedMeanwhile(StatusFile):
    """A person saves the file in the very moment before the board's next write."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.path = path
        self.edits: list[Sequence[Deliverable] | str] = []

    def write(self, deliverables: Sequence[Deliverable], *, today: str) -> bool:
        if self.edits:
            edit = self.edits.pop(0)
            if isinstance(edit, str):
                self.path.write_text(edit)
            else:
                person = StatusFile(self.path)
                person.read()
                person.write(edit, today=today)
        return super().write(deliverables, today=today)


async def crowded_board(directory: Path, *edits: Sequence[Deliverable] | str) -> BoardHarness:
    made: list[SavedMeanwhile] = []

    def file(path: Path) -> SavedMeanwhile:
        made.append(SavedMeanwhile(path))
        return made[0]

    harness = make_board_harness(directory, file)
    await harness.create("DL-1", "DL-2")
    harness.events.clear()
    made[0].edits = list(edits)
    return harness


REWORDED = Deliverable("DL-1", "Reworded", ("new words",))


async def test_an_edit_in_the_very_moment_of_a_change_is_kept_with_the_change_in_it(
    tmp_path: Path,
) -> None:
    harness = await crowded_board(tmp_path, [THREE, REWORDED], [THREE, REWORDED, TWO])

    reply = await harness.set_status("DL-1", "passed")

    passed = replace(REWORDED, status="passed", claim=Claim(), proof="claimed")
    assert harness.saved() == harness.board.deliverables == (THREE, passed, TWO)
    assert reply == ToolReply("DL-1 is passed now. 1 passed, 0 blocked, 2 pending.")
    assert harness.events == [
        DeliverableChanged("DL-1", "What DL-1 is about", "pending", "passed", "claimed"),
        StatusAdopted((THREE, passed), "hand_edit"),
        StatusAdopted((THREE, passed, TWO), "hand_edit"),
    ]


async def test_a_deliverable_that_a_person_removes_in_the_moment_of_its_change_comes_back(
    tmp_path: Path,
) -> None:
    harness = await crowded_board(tmp_path, [TWO])

    await harness.set_status("DL-1", "passed")

    assert harness.saved() == (TWO, claimed("DL-1"))


async def test_a_file_broken_in_the_very_moment_of_a_change_is_put_aside(tmp_path: Path) -> None:
    harness = await crowded_board(tmp_path, "{broken")

    await harness.set_status("DL-1", "passed")

    assert harness.saved() == (claimed("DL-1"), TWO)
    assert harness.path.with_suffix(".json.refused").read_text() == "{broken"


async def test_a_file_that_takes_no_writes_is_reported_once_and_written_later(
    harness: BoardHarness,
) -> None:
    await harness.create("DL-1", "DL-2")
    harness.events.clear()
    folder = harness.path.parent
    kept = folder.rename(folder.with_name("kept"))
    folder.write_text("in the way")

    replies = [
        await harness.set_status("DL-1", "passed"),
        await harness.set_status("DL-2", "blocked"),
    ]
    harness.board.adopt()
    during = harness.board.tally()
    folder.unlink()
    kept.rename(folder)
    harness.board.adopt()

    assert [reply.is_error for reply in replies] == [False, False]
    assert during == Tally(passed=1, blocked=1, total=2)
    assert harness.saved() == (claimed("DL-1"), deliverable("DL-2", "blocked"))
    assert [event.type for event in harness.events] == [
        "run.warned",
        "deliverable.changed",
        "deliverable.changed",
    ]


async def test_the_round_remembers_what_passed_in_it_and_was_not_taken_back(
    harness: BoardHarness,
) -> None:
    await harness.create("DL-1", "DL-2")
    for name, status in [
        ("DL-1", "passed"),
        ("DL-2", "passed"),
        ("DL-1", "pending"),
        ("DL-2", "pending"),
        ("DL-2", "passed"),
    ]:
        await harness.set_status(name, status)

    assert harness.board.passed_this_round == [TWO]
