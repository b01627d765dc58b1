"""The workflows by name. Each is imported on first use."""

from functools import cache
from importlib import import_module

from treadle.domain.errors import UsageError
from treadle.workflows.definition import Workflow

WORKFLOWS = {
    "deliver": "treadle.workflows.deliver.workflow",
    "focus": "treadle.workflows.focus.workflow",
    "task": "treadle.workflows.task.workflow",
    "sync": "treadle.workflows.sync.workflow",
    "auto": "treadle.workflows.auto.workflow",
    "increment": "treadle.workflows.increment.workflow",
    "audit": "treadle.workflows.audit.workflow",
    "plan": "treadle.workflows.plan.workflow",
    "watch": "treadle.workflows.watch.workflow",
}


@cache
def find_workflow(name: str) -> Workflow:
    """The record of the workflow with this name."""
    if name not in WORKFLOWS:
        raise UsageError(
            f"this version of Treadle has no workflow {name!r}",
            hint="continue the run with the version that started it",
        )
    workflow: Workflow = import_module(WORKFLOWS[name]).WORKFLOW
    return workflow
