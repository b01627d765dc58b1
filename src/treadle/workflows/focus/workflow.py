"""The `focus` workflow: plans one piece of work, builds it task by task, reviews it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from treadle.workflows.definition import LogFollower, Workflow, WorkingFiles

if TYPE_CHECKING:
    from treadle.workflows.loop.run_loop import RunLoop
    from treadle.workflows.loop.run_parts import RunParts

# In characters: what every prompt of a run has in full.
LONGEST_WORDS = 30_000


async def build(parts: "RunParts") -> "RunLoop":
    from treadle.workflows.focus.build import build_focus

    return await build_focus(parts)


def follow_log(files: WorkingFiles, inputs: Mapping[str, str]) -> LogFollower:
    from treadle.workflows.focus.focus_files import FocusFiles

    return FocusFiles(files, given_review=inputs.get("review", ""))


WORKFLOW = Workflow(
    name="focus",
    roles={"planning": "planner", "task": "implementer", "review": "reviewer"},
    labels={"planning": "planning", "task": "one task", "review": "reviewing"},
    specification="inputs_with_folder",
    ends=("approved", "spec_issue", "tests_failed", "unproven"),
    build=build,
    # What to work on; a person's review that the first plan must satisfy.
    inputs=("words", "review"),
    has_deliverables=False,
    unchanged_warning="the review approved, and nothing was changed",
    follow_log=follow_log,
)
