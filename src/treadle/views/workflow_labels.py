"""How each workflow is presented: its name, its deliverables, its branch. Loads no events."""

from dataclasses import dataclass

from treadle.domain.run import Workflow


@dataclass(frozen=True, slots=True)
class WorkflowLabels:
    """What a surface needs to know about a workflow to describe one of its runs."""

    name: str
    # Whether a run lists its deliverables even while there are none.
    always_lists_deliverables: bool
    # Whether the branch of a run ends up in the user's repository.
    imports_branch: bool


WORKFLOW_LABELS: dict[Workflow, WorkflowLabels] = {
    "deliver": WorkflowLabels("deliver", always_lists_deliverables=True, imports_branch=True),
    # Works from a plan; deliverables are listed if the project has some.
    "focus": WorkflowLabels("focus", always_lists_deliverables=False, imports_branch=True),
    # Judges the work and commits nothing.
    "sync": WorkflowLabels("sync", always_lists_deliverables=True, imports_branch=False),
}
