"""What telling means for a workflow, by how it stands: every status there is."""

import pytest

from treadle.durable.stored_workflow import (
    PARKED_QUEUE,
    AwaitWorkflow,
    EngineAction,
    LeaveAlone,
    ReadResult,
    StartWorkflow,
    StoredWorkflow,
    TakeOverWorkflow,
    WorkflowStatus,
    choose_action,
    is_lost,
)

ME, OTHER = "run-1", "worker-1"
MINE, SHARED = "run.1", "shared"


def standing(status: WorkflowStatus, executor: str = ME, queue: str = "") -> StoredWorkflow:
    return StoredWorkflow("w", status, executor, queue)


TAKEN_UP = [
    standing(WorkflowStatus.WAITING, "", SHARED),
    standing(WorkflowStatus.WAITING, OTHER, SHARED),
    standing(WorkflowStatus.WAITING, ME, PARKED_QUEUE),
    standing(WorkflowStatus.WAITING, OTHER, "run.2"),
    standing(WorkflowStatus.CANCELLED),
    standing(WorkflowStatus.CANCELLED, OTHER),
    standing(WorkflowStatus.GIVEN_UP),
    standing(WorkflowStatus.BROKEN),
    standing(WorkflowStatus.DELAYED, "", SHARED),
]


@pytest.mark.parametrize("interrupted_here", [False, True])
@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (None, StartWorkflow()),
        (standing(WorkflowStatus.FINISHED), ReadResult()),
        (standing(WorkflowStatus.FINISHED, OTHER), ReadResult()),
        (standing(WorkflowStatus.RUNNING, OTHER), LeaveAlone(OTHER)),
        (standing(WorkflowStatus.RUNNING, OTHER, MINE), LeaveAlone(OTHER)),
        (standing(WorkflowStatus.WAITING, "", MINE), AwaitWorkflow()),
        (standing(WorkflowStatus.WAITING, OTHER, MINE), AwaitWorkflow()),
        *((seen, TakeOverWorkflow(seen)) for seen in TAKEN_UP),
    ],
)
def test_telling_goes_on_with_whatever_nobody_else_tells(
    seen: StoredWorkflow | None, expected: EngineAction, interrupted_here: bool
) -> None:
    assert (
        choose_action(seen, executor=ME, queue=MINE, interrupted_here=interrupted_here) == expected
    )


def test_what_was_just_taken_from_the_own_queue_begins_by_itself() -> None:
    seen = standing(WorkflowStatus.RUNNING)

    assert choose_action(seen, executor=ME, queue=MINE, interrupted_here=False) == AwaitWorkflow()


def test_what_was_cut_in_this_process_is_taken_up_again() -> None:
    seen = standing(WorkflowStatus.RUNNING)

    assert choose_action(seen, executor=ME, queue=MINE, interrupted_here=True) == TakeOverWorkflow(
        seen
    )


@pytest.mark.parametrize(
    ("seen", "lost"),
    [
        (standing(WorkflowStatus.RUNNING), False),
        (standing(WorkflowStatus.FINISHED), False),
        (standing(WorkflowStatus.WAITING, "", MINE), False),
        (standing(WorkflowStatus.RUNNING, OTHER), True),
        (standing(WorkflowStatus.FINISHED, OTHER), True),
        (standing(WorkflowStatus.WAITING, ME, SHARED), True),
        (standing(WorkflowStatus.WAITING, ME, PARKED_QUEUE), True),
        (standing(WorkflowStatus.CANCELLED), True),
        (standing(WorkflowStatus.GIVEN_UP), True),
    ],
)
def test_a_story_goes_on_only_while_it_is_ours(seen: StoredWorkflow, lost: bool) -> None:
    assert is_lost(seen, executor=ME, queue=MINE) is lost
