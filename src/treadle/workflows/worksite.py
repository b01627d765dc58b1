"""Where a run works and how its work comes home: clone, commits, import, landing, each recorded."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, assert_never

from treadle.domain.agent import Identity
from treadle.domain.errors import ProjectError
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import (
    WorkCommitted,
    WorkContinued,
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
from treadle.workspace.commits import Rest, commit_files, commit_rest
from treadle.workspace.imports import Imported, NotFetched, aside_ref, import_work, nested_between
from treadle.workspace.land import Kept, Landed, land
from treadle.workspace.land_files import land_files
from treadle.workspace.notes import NotesRefused, carry_notes_in, carry_notes_out
from treadle.workspace.project import Project
from treadle.workspace.salvage import SET_ASIDE
from treadle.workspace.snapshot import Snapshot, snapshot_ref, take_snapshot

Record = Callable[[Event], None]
LandingForm = Literal["commits", "files"]
Ask = Callable[[str], Awaitable[bool]]


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
    # Commits that earlier runs landed: their work is in the checkout, whatever became of them.
    landed: tuple[str, ...] = ()
    earlier: "Earlier | None" = None


@dataclass(frozen=True, slots=True)
class Earlier:
    """Work of an earlier run that waits on its branch, on top of what the user still sees."""

    run: RunId
    branch: str
    commit: str
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class Home:
    """The commit that the work ends at, and why it is not all of the round's, if it is not."""

    tip: str
    lost: str = ""


class Worksite:
    """One run's clone. `imported` is what the user's repository has of the work so far."""

    def __init__(self, site: Site, snapshot: Snapshot, clone: Clone) -> None:
        self._site = site
        self._snapshot = snapshot
        self._clone = clone
        self._home: str | None = None  # the tip that was brought home last
        self._start = site.earlier.commit if site.earlier else snapshot.commit
        self.imported: Imported | None = None

    @property
    def path(self) -> Path:
        return self._clone.path

    @property
    def project_root(self) -> Path:
        return self._site.project.root

    async def holds(self, commit: str) -> bool:
        """Is this commit part of what the run starts from?"""
        git = self._site.project.git
        for place in (self._start, *self._site.landed):
            if await git.is_ancestor(commit, place):
                return True
        return False

    async def bring_home(self, message: str) -> Home:
        """Commit what the session left, and import all of the run's commits."""
        record = self._site.record
        rest = await commit_rest(self._clone, message)
        self._tell(rest, message)
        nested: tuple[str, ...] = ()
        if rest.tip != self._home or rest.aside is not None:
            try:
                nested = await self.take_in(rest.tip)
            except NotFetched as error:
                # What the first try had lost does not come back by a second one.
                lost, rest = rest.lost, await commit_files(self._clone, message, error)
                rest = replace(rest, lost=lost or rest.lost)
                self._tell(rest, message)
                nested = await self.take_in(rest.tip)
        if left_out := (*rest.left_out, *nested):
            names = ", ".join(left_out)
            record(RunWarned(f"nested repositories are not part of the work: {names}"))
        if rest.aside is not None:
            kept = aside_ref(self._site.run, rest.aside)
            record(RunWarned(f"{SET_ASIDE}; your repository keeps it as {kept}"))
        carried = carry_notes_out(self._clone)
        if isinstance(carried, NotesRefused):
            record(RunWarned(carried.reason))
        return Home(rest.tip, rest.lost)

    def _tell(self, rest: Rest, message: str) -> None:
        for remark in rest.remarks:
            self._site.record(RunWarned(remark))
        if rest.commit is not None:
            self._site.record(WorkCommitted(rest.commit, message))

    def keep(self, reason: str) -> None:
        """Leave the work on its branch, and say why and how it can still be landed."""
        if self.imported is not None:
            command = f"treadle land {short(self._site.run)}"
            self._site.record(WorkKept(self.imported.branch, reason, command))

    async def take_in(self, tip: str) -> tuple[str, ...]:
        """Import the run's commits up to this one; says which repositories they only point to."""
        project, before = self._site.project, self._home or self._clone.base
        found = await import_work(project, self._clone, self._site.run, tip)
        self._home = tip
        if not isinstance(found, Imported):
            return ()
        first, self.imported = self.imported is None, found
        if found.moved or first:
            self._site.record(WorkImported(found.branch, found.commit, found.commits))
        return await nested_between(project, before, tip) if found.moved else ()

    async def finish(self, landing: Landing, *, ask: Ask | None) -> None:
        """Land the work or leave it on its branch, as wanted and as the checkout allows."""
        work = self.imported
        if work is None:
            return
        if why_not := await _why_not(landing, work, ask):
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


async def _why_not(landing: Landing, work: Imported, ask: Ask | None) -> str:
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


async def _start(site: Site, branch: str) -> Snapshot:
    """What the user sees; the run's branch begins there, or where an earlier run left off."""
    if site.earlier is None:
        return await take_snapshot(site.project, site.run)
    earlier = site.earlier
    site.record(WorkContinued(earlier.run, earlier.branch, earlier.commit))
    git = site.project.git
    await git.run("update-ref", snapshot_ref(site.run), earlier.snapshot.commit)
    await git.run("update-ref", f"refs/heads/{branch}", earlier.commit)
    return earlier.snapshot


async def prepare_worksite(site: Site, *, specification: str, spec: str) -> Worksite:
    """Snapshot what the user sees and clone it; the specification must be part of it."""
    branch = branch_name(specification, site.run)
    snapshot = await _start(site, branch)
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
    worksite = Worksite(site, snapshot, clone)
    if site.earlier is not None:
        await worksite.take_in(site.earlier.commit)
    return worksite
