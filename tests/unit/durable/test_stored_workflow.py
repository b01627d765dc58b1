"""What running a stored workflow means for each of its statuses."""

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


def stored_workflow(status: WorkflowStatus, executor: str = ME, queue: str = "") -> StoredWorkflow:
    return StoredWorkflow("w", status, executor, queue)


TAKEN_UP = [
    stored_workflow(WorkflowStatus.WAITING, "", SHARED),
    stored_workflow(WorkflowStatus.WAITING, OTHER, SHARED),
    stored_workflow(WorkflowStatus.WAITING, ME, PARKED_QUEUE),
    stored_workflow(WorkflowStatus.WAITING, OTHER, "run.2"),
    stored_workflow(WorkflowStatus.CANCELLED),
    stored_workflow(WorkflowStatus.CANCELLED, OTHER),
    stored_workflow(WorkflowStatus.GIVEN_UP),
    stored_workflow(WorkflowStatus.BROKEN),
    stored_workflow(WorkflowStatus.DELAYED, "", SHARED),
]


@pytest.mark.parametrize("interrupted_here", [False, True])
@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (None, StartWorkflow()),
        (stored_workflow(WorkflowStatus.FINISHED), ReadResult()),
        (stored_workflow(WorkflowStatus.FINISHED, OTHER), ReadResult()),
        (stored_workflow(WorkflowStatus.RUNNING, OTHER), LeaveAlone(OTHER)),
        (stored_workflow(WorkflowStatus.RUNNING, OTHER, MINE), LeaveAlone(OTHER)),
        (stored_workflow(WorkflowStatus.WAITING, "", MINE), AwaitWorkflow()),
        (stored_workflow(WorkflowStatus.WAITING, OTHER, MINE), AwaitWorkflow()),
        *((seen, TakeOverWorkflow(seen)) for seen in TAKEN_UP),
    ],
)
def test_a_run_takes_over_whatever_no_other_process_runs(
    seen: StoredWorkflow | None, expected: EngineAction, interrupted_here: bool
) -> None:
    assert (
        choose_action(seen, executor=ME, queue=MINE, interrupted_here=interrupted_here) == expected
    )


def test_what_was_just_taken_from_the_own_queue_begins_by_itself() -> None:
    seen = stored_workflow(WorkflowStatus.RUNNING)

    assert choose_action(seen, executor=ME, queue=MINE, interrupted_here=False) == AwaitWorkflow()


def test_what_was_cut_in_this_process_is_taken_up_again() -> None:
    seen = stored_workflow(WorkflowStatus.RUNNING)

    assert choose_action(seen, executor=ME, queue=MINE, interrupted_here=True) == TakeOverWorkflow(
        seen
    )


@pytest.mark.parametrize(
    ("seen", "lost"),
    [
        (stored_workflow(WorkflowStatus.RUNNING), False),
        (stored_workflow(WorkflowStatus.FINISHED), False),
        (stored_workflow(WorkflowStatus.WAITING, "", MINE), False),
        (stored_workflow(WorkflowStatus.RUNNING, OTHER), True),
        (stored_workflow(WorkflowStatus.FINISHED, OTHER), True),
        (stored_workflow(WorkflowStatus.WAITING, ME, SHARED), True),
        (stored_workflow(WorkflowStatus.WAITING, ME, PARKED_QUEUE), True),
        (stored_workflow(WorkflowStatus.CANCELLED), True),
        (stored_workflow(WorkflowStatus.GIVEN_UP), True),
    ],
)
def test_a_workflow_continues_only_while_it_is_ours(seen: StoredWorkflow, lost: bool) -> None:
    assert is_lost(seen, executor=ME, queue=MINE) is lost
