"""A pass is worth what is behind it: work in a commit that the next run can find, or a person."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.builders import RUN, claimed, deliverable
from tests.unit.workflows.deliver.board_harness import (
    ONE,
    THREE,
    TWO,
    BoardHarness,
    make_board_harness,
    reopen_board,
)
from tests.unit.workflows.run_harness import (
    ADOPTED,
    BRANCH,
    CHANGING,
    ENDING,
    HOME,
    OPENING,
    RunHarness,
    did,
    ending,
    make_run_harness,
    turned,
)
from treadle.domain.deliverable import Deliverable, Tally
from treadle.domain.errors import ProjectError
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import DeliverableChanged, DeliverableCreated, StatusAdopted

HELD, GONE = "a1" * 20, "b2" * 20
PERSONS = deliverable("DL-1", "passed")


@pytest.fixture
def board_harness(tmp_path: Path) -> BoardHarness:
    return make_board_harness(tmp_path)


@pytest.fixture
def harness(tmp_path: Path) -> RunHarness:
    return make_run_harness(tmp_path)


async def holds(commit: str) -> bool:
    return commit == HELD


def of_script(deliverable: Deliverable) -> Deliverable:
    return replace(deliverable, rehearsed=True)


def reset(name: str) -> DeliverableChanged:
    return DeliverableChanged(name, f"What {name} is about", "passed", "pending")


def warned(names: str) -> RunWarned:
    why = "the work behind the pass is missing here, or was only rehearsed"
    return RunWarned(f"pending again, because {why}: {names}")


async def test_a_pass_gets_its_commit_when_the_rounds_work_is_safe(
    board_harness: BoardHarness,
) -> None:
    await board_harness.create("DL-1", "DL-2", "DL-3")
    await board_harness.set_status("DL-1", "passed")
    before = board_harness.saved()
    board_harness.board.confirm_passes(HELD)
    await board_harness.set_status("DL-2", "passed")
    board_harness.events.clear()

    board_harness.board.confirm_passes(GONE)

    assert before == (claimed("DL-1"), TWO, THREE)
    assert board_harness.saved() == (claimed("DL-1", HELD), claimed("DL-2", GONE), THREE)
    assert (board_harness.board.deliverables, board_harness.events) == (board_harness.saved(), [])


async def test_a_pass_that_is_taken_back_and_given_again_needs_a_commit_again(
    board_harness: BoardHarness,
) -> None:
    await board_harness.create("DL-1")
    await board_harness.set_status("DL-1", "passed")
    board_harness.board.confirm_passes(HELD)

    await board_harness.set_status("DL-1", "pending")
    taken_back = board_harness.saved()
    await board_harness.set_status("DL-1", "passed")

    assert (taken_back, board_harness.saved()) == ((ONE,), (claimed("DL-1"),))


async def test_a_rehearsal_marks_what_it_writes_down_and_its_passes(tmp_path: Path) -> None:
    board_harness = make_board_harness(tmp_path, rehearsed=True)
    await board_harness.create("DL-1")
    await board_harness.set_status("DL-1", "passed")
    before = board_harness.saved()
    board_harness.board.confirm_passes(HELD)

    assert before == (of_script(claimed("DL-1", rehearsed=True)),)
    assert board_harness.saved() == (of_script(claimed("DL-1", HELD, rehearsed=True)),)


async def test_a_real_run_does_not_take_the_plan_of_a_rehearsal_for_its_own(tmp_path: Path) -> None:
    board_harness = make_board_harness(tmp_path, left=[of_script(ONE), TWO])
    begun = board_harness.board.deliverables

    again = reopen_board(board_harness)
    await again.create("DL-1")

    assert (begun, board_harness.board.rehearsed_ids) == ((TWO,), ("DL-1",))
    assert board_harness.events == [StatusAdopted((TWO,), "earlier_run")]
    # The next process has nothing to add; a plan of its own takes the place of the script's.
    assert again.events == [DeliverableCreated(ONE)]
    assert again.saved() == (TWO, ONE)
    assert "rehearsed" not in again.path.read_text()


async def test_a_rehearsal_goes_on_with_its_own_plan(tmp_path: Path) -> None:
    board_harness = make_board_harness(tmp_path, left=[of_script(ONE), TWO], rehearsed=True)
    await board_harness.create("DL-3")

    assert board_harness.saved() == (of_script(ONE), TWO, of_script(THREE))


async def test_what_a_person_takes_the_mark_of_a_rehearsal_from_is_theirs(
    board_harness: BoardHarness,
) -> None:
    board_harness.edit(of_script(ONE), TWO)
    board_harness.board.adopt()
    before = board_harness.board.deliverables
    board_harness.edit(ONE, TWO)
    board_harness.board.adopt()

    assert (before, board_harness.board.deliverables) == ((TWO,), (ONE, TWO))


async def test_a_persons_own_pass_is_not_given_a_commit(board_harness: BoardHarness) -> None:
    await board_harness.create("DL-1")
    board_harness.edit(PERSONS)

    board_harness.board.confirm_passes(HELD)

    assert board_harness.saved() == (PERSONS,)


async def test_a_pass_that_a_person_takes_back_before_it_is_safe_stays_taken_back(
    board_harness: BoardHarness,
) -> None:
    await board_harness.create("DL-1", "DL-2", "DL-3")
    for name in ("DL-1", "DL-2", "DL-3"):
        await board_harness.set_status(name, "passed")
    board_harness.events.clear()
    board_harness.edit(ONE, claimed("DL-3"))

    board_harness.board.confirm_passes(HELD)

    assert board_harness.saved() == board_harness.board.deliverables == (ONE, claimed("DL-3", HELD))
    assert board_harness.events == [StatusAdopted((ONE, claimed("DL-3")), "hand_edit")]


@pytest.mark.parametrize(
    ("left", "rehearsed", "found"),
    [
        # what never passed has nothing to lose
        (ONE, False, ONE),
        (deliverable("DL-1", "blocked"), False, deliverable("DL-1", "blocked")),
        # a person's word
        (PERSONS, False, PERSONS),
        (PERSONS, True, PERSONS),
        # an agent's, with the work and without it
        (claimed("DL-1", HELD), False, claimed("DL-1", HELD)),
        (claimed("DL-1", HELD), True, claimed("DL-1", HELD)),
        (claimed("DL-1", GONE), False, ONE),
        (claimed("DL-1", GONE), True, ONE),
        (claimed("DL-1"), False, ONE),
        (claimed("DL-1"), True, ONE),
        # a rehearsed pass is worth something to rehearsals only
        (claimed("DL-1", HELD, rehearsed=True), False, ONE),
        (claimed("DL-1", HELD, rehearsed=True), True, claimed("DL-1", HELD, rehearsed=True)),
        (claimed("DL-1", GONE, rehearsed=True), True, ONE),
        (claimed("DL-1", rehearsed=True), True, ONE),
    ],
)
async def test_a_run_begins_with_the_passes_whose_work_it_can_find(
    tmp_path: Path, left: Deliverable, rehearsed: bool, found: Deliverable
) -> None:
    board_harness = make_board_harness(tmp_path, left=[left, TWO], rehearsed=rehearsed)
    before = board_harness.path.read_bytes()

    await board_harness.board.reset_missing_passes(holds)

    adopted = StatusAdopted((left, TWO), "earlier_run")
    changes = [] if found == left else [reset("DL-1"), warned("DL-1")]
    assert board_harness.events == [adopted, *changes]
    assert board_harness.board.deliverables == board_harness.saved() == (found, TWO)
    assert (board_harness.path.read_bytes() == before) == (found == left)


async def test_all_passes_without_work_are_reported_in_one_warning(tmp_path: Path) -> None:
    left = [claimed("DL-1"), claimed("DL-2", HELD), claimed("DL-3", GONE)]
    board_harness = make_board_harness(tmp_path, left=left)
    board_harness.events.clear()

    await board_harness.board.reset_missing_passes(holds)

    assert board_harness.events == [reset("DL-1"), reset("DL-3"), warned("DL-1, DL-3")]
    assert board_harness.saved() == (ONE, claimed("DL-2", HELD), THREE)


def test_a_run_without_earlier_deliverables_adopts_nothing(board_harness: BoardHarness) -> None:
    assert board_harness.events == []


async def test_the_passes_of_a_round_stand_for_the_commit_its_work_ends_at(
    harness: RunHarness,
) -> None:
    harness.plan(deliverable("DL-1"), deliverable("DL-2"), deliverable("DL-3"))
    seen: list[tuple[Deliverable, ...]] = []
    harness.sessions = [
        [
            harness.wrote("one.py"),
            turned("DL-1", "passed"),
            did(lambda: seen.append(harness.status.read())),
            ending(),
        ],
        [turned("DL-2", "passed"), ending()],
        [harness.wrote("three.py"), turned("DL-3", "passed"), ending()],
    ]

    await harness.execute()

    first, last = harness.user.git("rev-list", "--reverse", f"main..{BRANCH}").split()
    assert seen == [(claimed("DL-1"), TWO, THREE)]
    assert harness.status.read() == (
        claimed("DL-1", first),
        claimed("DL-2", first),
        claimed("DL-3", last),
    )


async def test_a_pass_whose_work_could_not_be_imported_is_pending_for_the_next_run(
    harness: RunHarness,
) -> None:
    harness.plan(deliverable("DL-1"))
    objects, aside = harness.user.path / ".git" / "objects", harness.directory / "aside"
    harness.sessions = [
        [
            harness.wrote("one.py"),
            turned("DL-1", "passed"),
            did(lambda: objects.rename(aside)),
            ending(),
        ],
    ]
    with pytest.raises(ProjectError, match="the project's repository is gone"):
        await harness.execute()
    left = harness.status.read()
    aside.rename(objects)
    harness.start_over(RUN)
    harness.sessions = [[turned("DL-1", "passed"), ending()]]

    ended = await harness.execute()

    assert left == (claimed("DL-1"),)
    assert (ended.reason, ended.rounds) == ("all_passed", 1)
    assert harness.types[:4] == [*ADOPTED, "deliverable.changed", "run.warned", "round.started"]


async def test_a_pass_whose_work_is_gone_is_worked_on_again(harness: RunHarness) -> None:
    harness.plan(claimed("DL-1", GONE))
    harness.sessions = [[harness.wrote("one.py"), turned("DL-1", "passed"), ending()]]

    ended = await harness.execute()

    assert (ended.reason, ended.rounds, ended.tally) == (
        "all_passed",
        1,
        Tally(passed=1, total=1),
    )
    assert harness.types == [
        *ADOPTED, "deliverable.changed", "run.warned", *OPENING, *CHANGING, *ENDING, *HOME,
    ]  # fmt: skip


@pytest.mark.parametrize("where", ["in the checkout", "landed as files"])
async def test_a_pass_whose_work_is_in_the_checkout_needs_no_round(
    harness: RunHarness, where: str
) -> None:
    commit = harness.user.git("rev-parse", "HEAD")
    if where == "landed as files":
        harness.user.git("switch", "--quiet", "--create", "aside")
        harness.user.write("clock.py", "text\n")
        commit = harness.user.commit_all("Work")
        harness.user.git("switch", "--quiet", "main")
        harness.landed = (commit,)
    harness.plan(claimed("DL-1", commit))

    ended = await harness.execute()

    assert (ended.reason, ended.rounds) == ("all_passed", 0)
    assert harness.types == ADOPTED


async def test_work_on_another_branch_that_never_landed_is_not_in_the_checkout(
    harness: RunHarness,
) -> None:
    harness.user.git("switch", "--quiet", "--create", "aside")
    harness.user.write("clock.py", "text\n")
    commit = harness.user.commit_all("Work")
    harness.user.git("switch", "--quiet", "main")
    harness.plan(claimed("DL-1", commit))
    harness.sessions = [[turned("DL-1", "passed"), ending()]]

    assert (await harness.execute()).rounds == 1
