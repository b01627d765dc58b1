"""Whether finished work is landed, in which form, and what came of it as an event."""

from collections.abc import Awaitable, Callable
from typing import Literal, assert_never

from treadle.domain.events.work import WorkKept, WorkLanded
from treadle.domain.ids import RunId
from treadle.domain.run import Landing
from treadle.workspace.imports import Imported
from treadle.workspace.land import Kept, Landed, land
from treadle.workspace.land_files import land_files
from treadle.workspace.project import Project
from treadle.workspace.snapshot import Snapshot

LandingForm = Literal["commits", "files"]
Ask = Callable[[str], Awaitable[bool]]


async def landed(
    project: Project, snapshot: Snapshot, work: Imported, *, run: RunId, form: LandingForm
) -> WorkLanded | WorkKept:
    """Land the work in the form that is wanted, as an event either way."""
    how = land if form == "commits" else land_files
    match await how(project, snapshot, work, run):
        case Landed(commit=commit):
            return WorkLanded(work.branch, commit, form)
        case Kept(reason=reason, command=command):
            return WorkKept(work.branch, reason, command)
        case unreachable:
            assert_never(unreachable)


async def why_not(landing: Landing, work: Imported, ask: Ask | None) -> str:
    """Why the work is not to be landed now; empty if it is."""
    match landing:
        case "auto":
            return ""
        case "never":
            return "landing is switched off"
        case "ask":
            if ask is None:
                return "landing has to be asked for, and nobody is at the terminal"
            commits = "1 commit" if work.commits == 1 else f"{work.commits} commits"
            return "" if await ask(f"Land {commits} in your checkout?") else "you said no"
        case unreachable:
            assert_never(unreachable)
