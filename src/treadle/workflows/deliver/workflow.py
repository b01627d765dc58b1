"""The `deliver` workflow: takes a specification to finished, verified work."""

from typing import TYPE_CHECKING

from treadle.workflows.definition import Workflow

if TYPE_CHECKING:
    from treadle.workflows.loop.run_loop import RunLoop
    from treadle.workflows.loop.run_parts import RunParts


async def build(parts: "RunParts") -> "RunLoop":
    from treadle.workflows.deliver.build import build_deliver

    return await build_deliver(parts)


WORKFLOW = Workflow(
    name="deliver",
    roles={"initializer": "initializer", "coding": "implementer"},
    labels={"initializer": "planning the deliverables", "coding": "coding"},
    specification="file",
    ends=("all_passed", "all_blocked", "tests_failed", "unproven"),
    build=build,
    unchanged_warning="everything was claimed as passed without a change",
)
