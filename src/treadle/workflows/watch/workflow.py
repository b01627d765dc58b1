"""The `watch` workflow: works off the items of `.treadle/backlog`, one run each."""

from typing import TYPE_CHECKING

from treadle.workflows.definition import Workflow

if TYPE_CHECKING:
    from treadle.workflows.queue.definition import QueueParts, QueueSource


def items(parts: "QueueParts") -> "QueueSource":
    from treadle.workflows.watch.watched_backlog import WatchedBacklog

    return WatchedBacklog(parts)


WORKFLOW = Workflow(
    name="watch",
    roles={},
    labels={},
    specification="inputs_with_folder",
    ends=("queue_done", "items_left", "spec_issue"),
    items=items,
    # Whether it ends when nothing is left that can be done now.
    inputs=("once",),
    has_deliverables=False,
    lands=False,
    runs_tests=False,
    place="queue",
)
