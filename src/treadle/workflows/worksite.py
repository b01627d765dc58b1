"""Where a run works and how its work comes home: clone, commits, import, landing, each recorded."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, assert_never

from treadle.domain.agent import Identity
from treadle.domain.errors import ProjectError
from treadle.domain.events.log import Event
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import (
    WorkCommitted,
    WorkImported,
    WorkKept,
    WorkLanded,
    WorkspacePrepared,
)
from treadle.domain.ids import RunId, short
from treadle.domain.run import Landing
from treadle.workspace.attribution import Attribution
from treadle.workspace.branch import branch_name
from treadle.workspace.clone import Clone, make_clone
from treadle.workspace.commits import commit_rest
from treadle.workspace.imports import Imported, import_work
from treadle.workspace.land import Kept, Landed, land
from treadle.workspace.land_files import land_files
from treadle.workspace.notes import NotesRefused, carry_notes_in, carry_notes_out
from treadle.workspace.project import Project
from treadle.workspace.snapshot import Snapshot, take_snapshot

Record = Callable[[Event], None]
LandingForm = Literal["commits", "files"]
Ask = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Site:
    """What a worksite is made for."""

    project: Project
    run: RunId
    identity: Identity
    directory: Path
    attribution: Attribution
    form: LandingForm
    record: Record


class Worksite:
    """One run's clone. `imported` is what the user's repository has of the work so far."""

    def __init__(self, site: Site, snapshot: Snapshot, clone: Clone) -> None:
        self._site = site
        self._snapshot = snapshot
        self._clone = clone
        self.imported: Imported | None = None

    @property
    def path(self) -> Path:
        return self._clone.path

    @property
    def project_root(self) -> Path:
        return self._site.project.root

    async def bring_home(self, message: str) -> None:
        """Commit what the session left, and import all of the run's commits."""
        record = self._site.record
        rest = await commit_rest(self._clone, message)
        for remark in rest.remarks:
            record(RunWarned(remark))
        if rest.left_out:
            names = ", ".join(rest.left_out)
            record(RunWarned(f"nested repositories are not part of the work: {names}"))
        if rest.commit is not None:
            record(WorkCommitted(rest.commit, message))
        found = await import_work(self._site.project, self._clone, self._site.run)
        if isinstance(found, Imported):
            self.imported = found
            if found.moved:
                record(WorkImported(found.branch, found.commit, found.commits))
        carried = carry_notes_out(self._clone)
        if isinstance(carried, NotesRefused):
            record(RunWarned(carried.reason))

    def keep(self, reason: str) -> None:
        """Leave the work on its branch, and say why and how it can still be landed."""
        if self.imported is not None:
            command = f"treadle land {short(self._site.run)}"
            self._site.record(WorkKept(self.imported.branch, reason, command))

    async def finish(self, landing: Landing, *, ask: Ask | None) -> None:
        """Land the work or leave it on its branch, as wanted and as the checkout allows."""
        work = self.imported
        if work is None:
            return
        if why_not := _why_not(landing, work, ask):
            self.keep(why_not)
            return
        site = self._site
        site.record(await landed(site.project, self._snapshot, work, run=site.run, form=site.form))


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


def _why_not(landing: Landing, work: Imported, ask: Ask | None) -> str:
    match landing:
        case "auto":
            return ""
        case "never":
            return "landing is switched off"
        case "ask":
            if ask is None:
                return "landing has to be asked for, and nobody is at the terminal"
            commits = "1 commit" if work.commits == 1 else f"{work.commits} commits"
            return "" if ask(f"Land {commits} in your checkout?") else "you said no"
        case unreachable:
            assert_never(unreachable)


async def prepare_worksite(site: Site, *, specification: str, spec: str) -> Worksite:
    """Snapshot what the user sees and clone it; the specification must be part of it."""
    snapshot = await take_snapshot(site.project, site.run)
    branch = branch_name(specification, site.run)
    clone = await make_clone(
        site.project,
        snapshot,
        branch=branch,
        identity=site.identity,
        into=site.directory / "workspace",
        attribution=site.attribution,
    )
    site.record(
        WorkspacePrepared(
            path=str(clone.path),
            branch=branch,
            head=snapshot.head,
            checkout=snapshot.branch,
            snapshot=snapshot.commit,
        )
    )
    if not (clone.path / spec).is_file():
        raise ProjectError(
            f"{spec} is ignored by git, so the agent would not see it",
            hint="take it out of .gitignore",
        )
    carried = carry_notes_in(clone)
    if isinstance(carried, NotesRefused):
        site.record(RunWarned(carried.reason))
    return Worksite(site, snapshot, clone)
