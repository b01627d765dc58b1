"""The `increment` workflow: takes one increment to verified work that the agent calls complete."""

from typing import TYPE_CHECKING

from treadle.workflows.definition import Workflow

if TYPE_CHECKING:
    from treadle.workflows.loop.run_loop import RunLoop
    from treadle.workflows.loop.run_parts import RunParts


async def build(parts: "RunParts") -> "RunLoop":
    from treadle.workflows.increment.increment_work import build_increment

    return await build_increment(parts)


WORKFLOW = Workflow(
    name="increment",
    roles={"initializer": "initializer", "coding": "implementer"},
    labels={"initializer": "planning the increment", "coding": "coding"},
    prompts_of="deliver",
    specification="inputs",
    ends=("all_passed", "all_blocked", "tests_failed", "unproven"),
    build=build,
    # What it asks for, with plan and tasks; the text with which the agent calls it complete.
    inputs=("specification", "promise"),
    deliverables_in="log",
    unchanged_warning="everything was claimed as passed without a change",
)
