"""How a run of a workflow is presented, from the record of the workflow. Loads no events."""

from treadle.views.safe_text import sanitize
from treadle.workflows.registry import WORKFLOWS, find_workflow


def instruction_label(workflow: str, instruction: str) -> str:
    """What a session with this instruction does; a newer version's stands for itself.

    A log that is read from its middle does not say which workflow it is of: then all are asked.
    """
    names = (workflow,) if workflow in WORKFLOWS else tuple(WORKFLOWS)
    labels = (find_workflow(name).labels.get(instruction) for name in names)
    return next(filter(None, labels), sanitize(instruction))


def lists_deliverables(workflow: str) -> bool:
    """Whether a run shows its deliverables even while there are none."""
    return workflow not in WORKFLOWS or find_workflow(workflow).has_deliverables


def imports_branch(workflow: str) -> bool:
    """Whether the branch of a run ends up in the user's repository."""
    return workflow not in WORKFLOWS or find_workflow(workflow).lands


def is_queue(workflow: str) -> bool:
    """Whether its work is that of its items, each in a run of its own."""
    return workflow in WORKFLOWS and find_workflow(workflow).place == "queue"


def is_queue_of_increments(workflow: str) -> bool:
    return is_queue(workflow) and "increments" in find_workflow(workflow).inputs
