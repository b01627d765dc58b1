"""The `task` workflow: plans one task, asks about the plan, builds and reviews it on a branch."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from treadle.workflows.definition import LogFollower, Workflow, WorkingFiles

if TYPE_CHECKING:
    from treadle.workflows.loop.run_loop import RunLoop
    from treadle.workflows.loop.run_parts import RunParts


async def build(parts: "RunParts") -> "RunLoop":
    from treadle.workflows.task.build import build_task

    return await build_task(parts)


def follow_log(files: WorkingFiles, inputs: Mapping[str, str]) -> LogFollower:
    """Writes no files: a task changes nothing in the user's checkout."""
    from treadle.workflows.task.task_log import TaskLog

    return TaskLog()


WORKFLOW = Workflow(
    name="task",
    roles={
        "planning": "planner",
        "coding": "implementer",
        "review": "reviewer",
        "feedback": "implementer",
    },
    labels={
        "planning": "planning",
        "coding": "coding",
        "review": "reviewing",
        "feedback": "answering feedback",
    },
    specification="inputs",
    ends=("approved", "unproven", "plan_denied", "spec_issue", "tests_failed"),
    build=build,
    # What to do; the issue that says so, and the hash of its text.
    inputs=("words", "issue", "issue_hash"),
    foreign_inputs=("issue",),
    unchanged_warning="the review approved, and nothing was changed",
    follow_log=follow_log,
    place="branch",
    asks_about_plan=True,
    follows=True,
    execution=("coding", "feedback"),
    settings={
        "limits.max_cost_usd": "execution.max_cost_usd",
        "limits.max_minutes": "execution.max_duration_minutes",
        "verify.fix_rounds": "execution.max_retries",
    },
)
