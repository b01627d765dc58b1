"""The `audit` workflow: one session compares code and specifications, and hands over findings."""

from typing import TYPE_CHECKING

from treadle.workflows.definition import Workflow

if TYPE_CHECKING:
    from treadle.workflows.loop.run_loop import RunLoop
    from treadle.workflows.loop.run_parts import RunParts


async def build(parts: "RunParts") -> "RunLoop":
    from treadle.workflows.audit.audit_work import build_audit

    return await build_audit(parts)


WORKFLOW = Workflow(
    name="audit",
    roles={"audit": "auditor"},
    labels={"audit": "comparing code and specifications"},
    specification="inputs_with_folder",
    ends=("audited",),
    build=build,
    # What to look at first; empty: everything.
    inputs=("words",),
    has_deliverables=False,
    lands=False,
    runs_tests=False,
)
