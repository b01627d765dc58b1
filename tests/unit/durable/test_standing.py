"""What telling means for a workflow, by how it stands: every status there is."""

import pytest

from treadle.durable.standing import (
    PARKED,
    Await,
    Begin,
    GoingOn,
    LeaveAlone,
    ReadResult,
    Standing,
    Status,
    TakeUp,
    how_to_go_on,
    is_lost,
)

ME, OTHER = "run-1", "worker-1"
MINE, SHARED = "run.1", "shared"


def standing(status: Status, executor: str = ME, queue: str = "") -> Standing:
    return Standing("w", status, executor, queue)


TAKEN_UP = [
    standing(Status.WAITING, "", SHARED),
    standing(Status.WAITING, OTHER, SHARED),
    standing(Status.WAITING, ME, PARKED),
    standing(Status.WAITING, OTHER, "run.2"),
    standing(Status.CANCELLED),
    standing(Status.CANCELLED, OTHER),
    standing(Status.GIVEN_UP),
    standing(Status.BROKEN),
    standing(Status.DELAYED, "", SHARED),
]


@pytest.mark.parametrize("left_here", [False, True])
@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (None, Begin()),
        (standing(Status.FINISHED), ReadResult()),
        (standing(Status.FINISHED, OTHER), ReadResult()),
        (standing(Status.TOLD_NOW, OTHER), LeaveAlone(OTHER)),
        (standing(Status.TOLD_NOW, OTHER, MINE), LeaveAlone(OTHER)),
        (standing(Status.WAITING, "", MINE), Await()),
        (standing(Status.WAITING, OTHER, MINE), Await()),
        *((seen, TakeUp(seen)) for seen in TAKEN_UP),
    ],
)
def test_telling_goes_on_with_whatever_nobody_else_tells(
    seen: Standing | None, expected: GoingOn, left_here: bool
) -> None:
    assert how_to_go_on(seen, executor=ME, queue=MINE, left_here=left_here) == expected


def test_what_was_just_taken_from_the_own_queue_begins_by_itself() -> None:
    seen = standing(Status.TOLD_NOW)

    assert how_to_go_on(seen, executor=ME, queue=MINE, left_here=False) == Await()


def test_what_was_cut_in_this_process_is_taken_up_again() -> None:
    seen = standing(Status.TOLD_NOW)

    assert how_to_go_on(seen, executor=ME, queue=MINE, left_here=True) == TakeUp(seen)


@pytest.mark.parametrize(
    ("seen", "lost"),
    [
        (standing(Status.TOLD_NOW), False),
        (standing(Status.FINISHED), False),
        (standing(Status.WAITING, "", MINE), False),
        (standing(Status.TOLD_NOW, OTHER), True),
        (standing(Status.FINISHED, OTHER), True),
        (standing(Status.WAITING, ME, SHARED), True),
        (standing(Status.WAITING, ME, PARKED), True),
        (standing(Status.CANCELLED), True),
        (standing(Status.GIVEN_UP), True),
    ],
)
def test_a_story_goes_on_only_while_it_is_ours(seen: Standing, lost: bool) -> None:
    assert is_lost(seen, executor=ME, queue=MINE) is lost
