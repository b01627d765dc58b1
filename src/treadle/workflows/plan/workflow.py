"""The `plan` workflow: hands the terminal to the agent as the manager of the project."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from treadle.workflows.definition import Workflow

if TYPE_CHECKING:
    from treadle.domain.events.all_events import RecordedEvent
    from treadle.domain.ports import Log
    from treadle.workflows.loop.run_loop import RunLoop
    from treadle.workflows.loop.run_parts import ProjectNotes, RunParts


async def build(parts: "RunParts") -> "RunLoop":
    from treadle.workflows.plan.plan_work import build_plan

    return await build_plan(parts)


def apply(events: "Iterable[RecordedEvent]", notes: "ProjectNotes", log: "Log") -> None:
    from treadle.workflows.plan.tools import apply_notes

    apply_notes(events, notes, log)


WORKFLOW = Workflow(
    name="plan",
    roles={"manage": "manager"},
    labels={"manage": "planning with you"},
    specification="inputs",
    ends=("planned",),
    build=build,
    # What to begin with; empty: the person types first.
    inputs=("words",),
    has_deliverables=False,
    deliverables_in="log",
    runs_tests=False,
    place="specs",
    needs_terminal=True,
    apply_notes=apply,
)
