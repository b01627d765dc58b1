"""The `auto` workflow: works through increments, one run each."""

from typing import TYPE_CHECKING

from treadle.workflows.definition import Workflow

if TYPE_CHECKING:
    from treadle.workflows.queue.definition import QueueParts, QueueSource


def items(parts: "QueueParts") -> "QueueSource":
    from treadle.workflows.auto.increment_queue import IncrementQueue

    return IncrementQueue(parts)


WORKFLOW = Workflow(
    name="auto",
    roles={},
    labels={},
    specification="inputs",
    ends=("queue_done", "items_left"),
    items=items,
    # What was asked for in words; names of increments in their order, of those that were done
    # before, separated by commas; the text of the promise.
    inputs=("words", "increments", "done", "promise"),
    has_deliverables=False,
    lands=False,
    runs_tests=False,
    place="queue",
    # What is done is known from them alone.
    lasting_events=("item.started", "item.ended"),
    settings={
        "limits.max_iterations": "auto.max_iterations",
        "limits.max_cost_usd": "auto.max_cost_usd",
    },
)
