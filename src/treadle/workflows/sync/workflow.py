"""The `sync` workflow: verifies every deliverable again; changes no files."""

from pathlib import Path
from typing import TYPE_CHECKING

from treadle.domain.errors import UsageError
from treadle.workflows.definition import Workflow

if TYPE_CHECKING:
    from treadle.workflows.loop.run_loop import RunLoop
    from treadle.workflows.loop.run_parts import RunParts

STATUS_FILE = Path(".treadle") / "status.json"


async def build(parts: "RunParts") -> "RunLoop":
    from treadle.workflows.sync.sync_work import build_sync

    return await build_sync(parts)


def require_deliverables(project: Path) -> None:
    if not (project / STATUS_FILE).is_file():
        raise UsageError(
            f"there are no deliverables in {project} to check",
            hint="create them first: treadle deliver",
        )


WORKFLOW = Workflow(
    name="sync",
    roles={"sync": "verifier"},
    labels={"sync": "checking the deliverables"},
    specification="file",
    ends=("synced",),
    build=build,
    check=require_deliverables,
    lands=False,
    runs_tests=False,
    needs_landed_work=True,
)
