"""Whatever was stored when a process died is known to the next one and recorded once."""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import FakeClock
from tests.unit.workflows.deliver.board_harness import (
    COMMIT,
    BoardHarness,
    finished,
    graded,
    history_of,
    new_entry,
    reopen_board,
)
from treadle.adapters.stores.status_file import StatusFile
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RoundStarted
from treadle.verify.checks.spec_checks import SpecCheck
from treadle.verify.grades.grade import PinnedResult
from treadle.workflows.deliver.board import DeliverableBoard
from treadle.workflows.deliver.pass_rules import PassRules

SPEC_CHECKS = (SpecCheck(1, "DL-2 can be seen", "make two"), SpecCheck(2, "It ends", "make end"))
TERMS = PassRules(spec_checks=SPEC_CHECKS)
Record = Callable[[Event], None]
Act = Callable[[BoardHarness, Record], Coroutine[Any, Any, object]]


class Cut(Exception):
    """The process is gone."""


def create(name: str) -> Act:
    return lambda harness, record: harness.use("create_deliverable", deliverables=[new_entry(name)])


def turn(name: str, status: str) -> Act:
    return lambda harness, record: harness.set_status(name, status)


def check(name: str) -> Act:
    return lambda harness, record: harness.add_check(name, f"{name} can be seen", "make")


async def look(harness: BoardHarness, record: Record) -> None:
    """As the run does before it shows a claim."""
    for name, unseen in harness.board.checks_before_work():
        result = finished(name, unseen, exit_code=0 if name == "DL-2" else 1)
        record(result)
        harness.board.set_before(result)


async def look_in_vain(harness: BoardHarness, record: Record) -> None:
    """A program that the checks need is missing."""
    for name, unseen in harness.board.checks_before_work():
        result = replace(finished(name, unseen, exit_code=127), inconclusive="make was not found")
        record(result)
        harness.board.set_before(result)


async def show(harness: BoardHarness, record: Record) -> None:
    for found in harness.board.claims():
        grade = graded(found)
        record(grade)
        harness.board.pass_deliverable(found.id, COMMIT, grade)


def grade_again(pinned: PinnedResult, why: str = "") -> Act:
    """As the run does at its end, with the judges that later rounds changed."""

    async def act(harness: BoardHarness, record: Record) -> None:
        for found in harness.board.verifiable():
            grade = graded(found, pinned)
            if why and grade.grade == "proven":
                grade = replace(grade, grade="self-tested", why=why)
            record(grade)
            harness.board.regrade(grade)

    return act


async def lose(harness: BoardHarness, record: Record) -> None:
    harness.board.withdraw_passes("it is gone")


async def next_round(harness: BoardHarness, record: Record) -> None:
    harness.board.confirm_passes(COMMIT)
    harness.board.begin_round()
    record(RoundStarted(2, "coding"))


NAMES = ("DL-1", "DL-2", "SPEC")
ACTS: tuple[Act, ...] = (
    *(create(name) for name in ("DL-1", "DL-2")),
    *(turn(name, status) for name in NAMES for status in ("passed", "pending", "blocked")),
    *(check(name) for name in ("DL-1", "DL-2")),
    look,
    look_in_vain,
    show,
    grade_again(PinnedResult("passed")),
    grade_again(PinnedResult("failed", "it fails with your version of the tests")),
    grade_again(PinnedResult("passed"), "2 tests of yours fail"),
    lose,
    next_round,
)


async def cut_after(count: int, acts: list[Act], path: Path) -> BoardHarness:
    """A process that dies when so many facts are stored, or at the end of its acts."""
    events: list[Event] = []

    def record(event: Event) -> None:
        events.append(event)
        if len(events) == count:
            raise Cut

    file = StatusFile(path)
    harness = BoardHarness(
        path, file, DeliverableBoard(file, record, FakeClock(), rules=TERMS), events
    )
    try:
        harness.board.open()
        for act in acts:
            await act(harness, record)
    except Cut:
        pass
    return harness


def without_commits(deliverables: tuple[Deliverable, ...]) -> tuple[Deliverable, ...]:
    """Where the work of a pass at once is, is known by the file alone."""
    return tuple(replace(d, claim=None) for d in deliverables)


@settings(deadline=None)
@given(
    acts=st.lists(st.sampled_from(ACTS), max_size=12).map(lambda rest: [ACTS[0], ACTS[1], *rest]),
    count=st.integers(min_value=1, max_value=20),
)
async def test_whatever_was_stored_when_a_process_died_is_known_to_the_next(
    tmp_path_factory: pytest.TempPathFactory, acts: list[Act], count: int
) -> None:
    path = tmp_path_factory.mktemp("project") / "status.json"

    cut = await cut_after(count, acts, path)
    told = history_of(*cut.events)
    after = reopen_board(cut)

    assert after.events == []
    assert without_commits(after.board.deliverables) == without_commits(told.deliverables)
    assert after.saved() == after.board.deliverables
    assert [d.id for d in after.board.claims()] == list(told.claimed_this_round)
    once_more = reopen_board(BoardHarness(path, after.file, after.board, cut.events))
    assert (once_more.events, once_more.board.deliverables) == ([], after.board.deliverables)
