"""Where a run works and how its work comes home: clone, commits, import, landing, each recorded."""

from dataclasses import replace
from pathlib import Path

from treadle.domain.errors import ProjectError
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import (
    Withheld,
    WorkCommitted,
    WorkImported,
    WorkKept,
    WorkWithheld,
)
from treadle.domain.ids import short
from treadle.domain.run import Landing
from treadle.workflows.landing import Ask, landed, why_not
from treadle.workflows.site import Earlier, Home, Site
from treadle.workflows.withheld import passing_text, withheld_reason
from treadle.workspace.agent_tree import agent_git
from treadle.workspace.clone import Clone
from treadle.workspace.commits import Rest, commit_files, commit_rest
from treadle.workspace.git import GitFailed
from treadle.workspace.imports import Imported, NotFetched, aside_ref, import_work, nested_between
from treadle.workspace.losses import forget_loss, note_loss
from treadle.workspace.movement import Movement, movement
from treadle.workspace.notes import NotesRefused, carry_notes_in, carry_notes_out, write_notes
from treadle.workspace.salvage import SET_ASIDE
from treadle.workspace.secret_scan import Round, Unwanted, screen
from treadle.workspace.snapshot import Snapshot
from treadle.workspace.withheld_note import note_withheld, noted_withheld

__all__ = ["Earlier", "Home", "Site", "Worksite"]


class Worksite:
    """One run's clone. `imported` is what the user's repository has of the work so far."""

    def __init__(self, site: Site, snapshot: Snapshot, clone: Clone) -> None:
        self._site = site
        self._snapshot = snapshot
        self._clone = clone
        self._home: str | None = None  # the tip that was brought home last
        self._start = site.earlier.commit if site.earlier else snapshot.commit
        self.imported: Imported | None = None
        self._taken_over = False
        self._rest: Rest | None = None  # what the last round left

    @classmethod
    def taken_over(
        cls, site: Site, snapshot: Snapshot, clone: Clone, imported: Imported | None
    ) -> "Worksite":
        """The worksite of a run that another process began."""
        worksite = cls(site, snapshot, clone)
        worksite.imported, worksite._taken_over = imported, True
        return worksite

    @property
    def path(self) -> Path:
        return self._clone.path

    @property
    def snapshot(self) -> str:
        """The commit of what the user saw when the run began."""
        return self._snapshot.commit

    @property
    def project_root(self) -> Path:
        return self._site.project.root

    async def holds(self, commit: str) -> bool:
        """Is this commit part of what the run starts from, or of what it has brought since?"""
        git = self._site.project.git
        for place in (self.start, self._start, *self._site.landed):
            if await git.is_ancestor(commit, place):
                return True
        return False

    async def movement(self, before: str, after: str) -> Movement:
        """How the work moved between two commits that are both home."""
        return await movement(self._site.project.git, before, after, self._rest)

    @property
    def start(self) -> str:
        """The commit that the run has come to when this process takes it on."""
        return self.imported.commit if self.imported is not None else self._start

    async def move_in(self, spec: str) -> None:
        """What comes before the first session; safe to repeat until then."""
        site = self._site
        if not (self.path / spec).exists():
            raise ProjectError(
                f"{spec} is ignored by git, so the agent would not see it",
                hint="take it out of .gitignore",
            )
        carried = carry_notes_in(self._clone)
        if isinstance(carried, NotesRefused):
            site.record_once("notes refused", RunWarned(carried.reason))
        if site.earlier is not None:
            await self.take_in(site.earlier.commit)

    def begin_round(self) -> None:
        """The last round is told to its end: what it may have lost is no loss of the next."""
        forget_loss(self.path)

    async def bring_home(self, message: str) -> Home:
        """Commit what the session left, and import all of the run's commits."""
        record = self._site.record
        rest = await commit_rest(self._clone, message)
        try:
            rest = await self._screened(rest, message)
        except GitFailed as error:
            rest = await self._from_files(rest, message, error)
        self._tell(rest, message)
        if self._taken_over:
            self._taken_over = False
            await self._tell_of_last_commit(rest.tip, message)
        nested: tuple[str, ...] = ()
        if rest.tip != self._home or rest.aside is not None:
            try:
                nested = await self._take_rest_in(rest)
            except NotFetched as error:
                rest = await self._from_files(rest, message, error)
                self._tell(rest, message)
                nested = await self._take_rest_in(rest)
        if left_out := (*rest.left_out, *nested):
            names = ", ".join(left_out)
            record(RunWarned(f"nested repositories are not part of the work: {names}"))
        if rest.aside is not None:
            kept = aside_ref(self._site.run, rest.aside)
            record(RunWarned(f"{SET_ASIDE}; your repository keeps it as {kept}"))
        carried = carry_notes_out(self._clone, self._site.clean)
        if isinstance(carried, NotesRefused):
            record(RunWarned(carried.reason))
        self._rest = rest
        return Home(rest.tip, rest.lost)

    async def _from_files(self, rest: Rest, message: str, error: GitFailed) -> Rest:
        """The round again, from its files alone: git cannot read what the clone has of it."""
        again = await commit_files(self._clone, message, error)
        # What the first try had lost does not come back by a second one.
        return await self._screened(replace(again, lost=rest.lost or again.lost), message)

    async def _screened(self, rest: Rest, message: str) -> Rest:
        """The same without what must not come home, of which the log and the agent hear."""
        home = self._home or self.start
        if rest.tip == home and rest.aside is None:
            note_withheld(self.path, ())
            return rest
        unwanted = Unwanted(self._site.search, self._site.protected)
        screened = await screen(Round(self._clone, home, message), rest, unwanted)
        if credentials := [place for place in screened.passing if not place.is_protected]:
            self._site.record(RunWarned(passing_text(credentials)))
        told = (*screened.withheld, *(each for each in screened.passing if each.is_protected))
        if told:
            self._site.record(WorkWithheld(told))
        lost = withheld_reason(screened.withheld, self.withheld)
        if lost and all(place.is_protected for place in screened.withheld):
            # Known from now on, so whoever comes here again would take it for told.
            note_loss(self.path, lost)
        note_withheld(self.path, told)
        return replace(screened.rest, lost=screened.rest.lost or lost)

    @property
    def withheld(self) -> tuple[Withheld, ...]:
        """What kept files of the last round from coming home."""
        return noted_withheld(self.path)

    def _tell(self, rest: Rest, message: str) -> None:
        for remark in rest.remarks:
            self._site.record(RunWarned(remark))
        if rest.commit is not None:
            self._site.record_once(f"committed {rest.commit}", WorkCommitted(rest.commit, message))

    async def _tell_of_last_commit(self, tip: str, message: str) -> None:
        """The process before this one may have made the round's commit and died over telling it."""
        if tip in (self._clone.base, self._start):
            return
        written = await agent_git(self._clone).run("log", "-1", "--format=%B", tip)
        if written.strip() == message:
            self._site.record_once(f"committed {tip}", WorkCommitted(tip, message))

    def write_notes(self, text: str) -> str:
        """Replace the project's hand-over notes by words of a session; why not, or nothing."""
        kept = write_notes(self._site.project.root, self._site.clean(text))
        return kept.reason if isinstance(kept, NotesRefused) else ""

    def keep(self, reason: str) -> None:
        """Leave the work on its branch, and say why and how it can still be landed."""
        if self.imported is not None:
            command = f"treadle land {short(self._site.run)}"
            kept = WorkKept(self.imported.branch, reason, command)
            self._site.record_once(f"kept {self.imported.commit} {reason}", kept)

    async def _take_rest_in(self, rest: Rest) -> tuple[str, ...]:
        last = self.imported
        if last is None or rest.on_top_of != last.commit:
            return await self.take_in(rest.tip)
        # A commit of ours, made of files alone: neither its place nor what is in it is in question.
        await self._import(rest.tip, before=last)
        return ()

    async def take_in(self, tip: str) -> tuple[str, ...]:
        """Import the run's commits up to this one; says which repositories they only point to."""
        older = self._home or self._clone.base
        brought = await self._import(tip)
        return await nested_between(self._site.project, older, tip) if brought else ()

    async def _import(self, tip: str, *, before: Imported | None = None) -> bool:
        """Whether that brought anything."""
        site = self._site
        found = await import_work(site.project, self._clone, site.run, tip, before=before)
        self._home = tip
        if not isinstance(found, Imported):
            return False
        last, self.imported = self.imported, found
        # Not only what moved just now: the process before this one may have died over telling it.
        new = last is None or (last.branch, last.commit) != (found.branch, found.commit)
        if new:
            # Not once for good: work that was taken back comes home as the same commit again.
            site.record(WorkImported(found.branch, found.commit, found.commits))
        return new

    async def finish(self, landing: Landing, *, ask: Ask | None) -> None:
        """Land the work or leave it on its branch, as wanted and as the checkout allows."""
        work = self.imported
        if work is None:
            return
        if reason := await why_not(landing, work, ask):
            self.keep(reason)
            return
        site = self._site
        event = await landed(site.project, self._snapshot, work, run=site.run, form=site.form)
        site.record_once(f"{event.type} {work.commit}", event)
