"""The workspace of a run: clone, commits, import and landing, each recorded."""

from dataclasses import replace
from pathlib import Path

from treadle.domain.errors import ProjectError
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import (
    WithheldPath,
    WorkCommitted,
    WorkImported,
    WorkKept,
    WorkWithheld,
)
from treadle.domain.ids import short_id
from treadle.domain.run import LandingMode
from treadle.workflows.loop.landing import Ask, land_work, why_not
from treadle.workflows.loop.withheld_files import passing_text, withheld_reason
from treadle.workflows.loop.workspace_spec import ImportedTip, UnlandedWork, WorkspaceSpec
from treadle.workspace.agent_tree import agent_git
from treadle.workspace.clone import Clone
from treadle.workspace.commits import CommittedRound, commit_files, commit_round
from treadle.workspace.git import GitFailed
from treadle.workspace.imports import (
    FetchFailed,
    ImportedBranch,
    aside_ref,
    find_nested_repositories,
    import_work,
)
from treadle.workspace.notes import NotesRefused, copy_notes_in, copy_notes_out, write_notes
from treadle.workspace.round_losses import clear_loss, note_loss, note_withheld, read_withheld
from treadle.workspace.salvage import SET_ASIDE_REMARK
from treadle.workspace.secret_scan import ForbiddenContent, RoundWork, screen_round
from treadle.workspace.snapshot import Snapshot
from treadle.workspace.tree_change import TreeChange, measure_change

__all__ = ["ImportedTip", "RunWorkspace", "UnlandedWork", "WorkspaceSpec"]


class RunWorkspace:
    """One run's clone. `imported` is what the user's repository has of the work so far."""

    def __init__(self, site: WorkspaceSpec, snapshot: Snapshot, clone: Clone) -> None:
        self._spec = site
        self._snapshot = snapshot
        self._clone = clone
        self._imported_tip: str | None = None  # the tip that was brought home last
        self._start = site.earlier.commit if site.earlier else snapshot.commit
        self.imported: ImportedBranch | None = None
        self._is_reopened = False
        self._rest: CommittedRound | None = None  # what the last round left

    @classmethod
    def reopened(
        cls, site: WorkspaceSpec, snapshot: Snapshot, clone: Clone, imported: ImportedBranch | None
    ) -> "RunWorkspace":
        """The worksite of a run that another process began."""
        worksite = cls(site, snapshot, clone)
        worksite.imported, worksite._is_reopened = imported, True
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
        return self._spec.project.root

    async def contains(self, commit: str) -> bool:
        """Is this commit part of what the run starts from, or of what it has brought since?"""
        git = self._spec.project.git
        for place in (self.start, self._start, *self._spec.landed):
            if await git.is_ancestor(commit, place):
                return True
        return False

    async def tree_change(self, before: str, after: str) -> TreeChange:
        """How the work moved between two commits that are both home."""
        return await measure_change(self._spec.project.git, before, after, self._rest)

    @property
    def start(self) -> str:
        """The commit that the run has come to when this process takes it on."""
        return self.imported.commit if self.imported is not None else self._start

    async def prepare(self, spec: str) -> None:
        """What comes before the first session; safe to repeat until then."""
        site = self._spec
        if not (self.path / spec).exists():
            raise ProjectError(
                f"{spec} is ignored by git, so the agent would not see it",
                hint="take it out of .gitignore",
            )
        carried = copy_notes_in(self._clone)
        if isinstance(carried, NotesRefused):
            site.log.record(RunWarned(carried.reason), once="notes refused")
        if site.earlier is not None:
            await self.import_up_to(site.earlier.commit)

    def begin_round(self) -> None:
        """The last round is told to its end: what it may have lost is no loss of the next."""
        clear_loss(self.path)

    async def commit_and_import(self, message: str) -> ImportedTip:
        """Commit what the session left, and import all of the run's commits."""
        record = self._spec.log.record
        rest = await commit_round(self._clone, message)
        try:
            rest = await self._withhold_unwanted(rest, message)
        except GitFailed as error:
            rest = await self._recommit_files(rest, message, error)
        self._record_commit(rest, message)
        if self._is_reopened:
            self._is_reopened = False
            await self._record_last_commit(rest.tip, message)
        nested: tuple[str, ...] = ()
        if rest.tip != self._imported_tip or rest.aside is not None:
            try:
                nested = await self._import_rest(rest)
            except FetchFailed as error:
                rest = await self._recommit_files(rest, message, error)
                self._record_commit(rest, message)
                nested = await self._import_rest(rest)
        if left_out := (*rest.left_out, *nested):
            names = ", ".join(left_out)
            record(RunWarned(f"nested repositories are not part of the work: {names}"))
        if rest.aside is not None:
            kept = aside_ref(self._spec.run, rest.aside)
            record(RunWarned(f"{SET_ASIDE_REMARK}; your repository keeps it as {kept}"))
        carried = copy_notes_out(self._clone, self._spec.clean)
        if isinstance(carried, NotesRefused):
            record(RunWarned(carried.reason))
        self._rest = rest
        return ImportedTip(rest.tip, rest.lost)

    async def _recommit_files(
        self, rest: CommittedRound, message: str, error: GitFailed
    ) -> CommittedRound:
        """The round again, from its files alone: git cannot read what the clone has of it."""
        again = await commit_files(self._clone, message, error)
        # What the first try had lost does not come back by a second one.
        return await self._withhold_unwanted(replace(again, lost=rest.lost or again.lost), message)

    async def _withhold_unwanted(self, rest: CommittedRound, message: str) -> CommittedRound:
        """The same without what must not come home, of which the log and the agent hear."""
        home = self._imported_tip or self.start
        if rest.tip == home and rest.aside is None:
            note_withheld(self.path, ())
            return rest
        unwanted = ForbiddenContent(self._spec.search, self._spec.protected)
        screened = await screen_round(RoundWork(self._clone, home, message), rest, unwanted)
        if credentials := [place for place in screened.only_in_history if not place.is_protected]:
            self._spec.log.record(RunWarned(passing_text(credentials)))
        told = (
            *screened.withheld,
            *(each for each in screened.only_in_history if each.is_protected),
        )
        if told:
            self._spec.log.record(WorkWithheld(told))
        lost = withheld_reason(screened.withheld, self.withheld)
        if lost and all(place.is_protected for place in screened.withheld):
            # Known from now on, so whoever comes here again would take it for told.
            note_loss(self.path, lost)
        note_withheld(self.path, told)
        return replace(screened.committed, lost=screened.committed.lost or lost)

    @property
    def withheld(self) -> tuple[WithheldPath, ...]:
        """What kept files of the last round from coming home."""
        return read_withheld(self.path)

    def _record_commit(self, rest: CommittedRound, message: str) -> None:
        for remark in rest.remarks:
            self._spec.log.record(RunWarned(remark))
        if rest.commit is not None:
            self._spec.log.record(
                WorkCommitted(rest.commit, message), once=f"committed {rest.commit}"
            )

    async def _record_last_commit(self, tip: str, message: str) -> None:
        """The process before this one may have made the round's commit and died over telling it."""
        if tip in (self._clone.base, self._start):
            return
        written = await agent_git(self._clone).run("log", "-1", "--format=%B", tip)
        if written.strip() == message:
            self._spec.log.record(WorkCommitted(tip, message), once=f"committed {tip}")

    def write_notes(self, text: str) -> str:
        """Replace the project's hand-over notes by words of a session; why not, or nothing."""
        kept = write_notes(self._spec.project.root, self._spec.clean(text))
        return kept.reason if isinstance(kept, NotesRefused) else ""

    def keep(self, reason: str) -> None:
        """Leave the work on its branch, and say why and how it can still be landed."""
        if self.imported is not None:
            command = f"treadle land {short_id(self._spec.run)}"
            kept = WorkKept(self.imported.branch, reason, command)
            self._spec.log.record(kept, once=f"kept {self.imported.commit} {reason}")

    async def _import_rest(self, rest: CommittedRound) -> tuple[str, ...]:
        last = self.imported
        if last is None or rest.on_top_of != last.commit:
            return await self.import_up_to(rest.tip)
        # A commit of ours, made of files alone: neither its place nor what is in it is in question.
        await self._import(rest.tip, before=last)
        return ()

    async def import_up_to(self, tip: str) -> tuple[str, ...]:
        """Import the run's commits up to this one; says which repositories they only point to."""
        older = self._imported_tip or self._clone.base
        brought = await self._import(tip)
        return await find_nested_repositories(self._spec.project, older, tip) if brought else ()

    async def _import(self, tip: str, *, before: ImportedBranch | None = None) -> bool:
        """Whether that brought anything."""
        site = self._spec
        found = await import_work(site.project, self._clone, site.run, tip, before=before)
        self._imported_tip = tip
        if not isinstance(found, ImportedBranch):
            return False
        last, self.imported = self.imported, found
        # Not only what moved just now: the process before this one may have died over telling it.
        new = last is None or (last.branch, last.commit) != (found.branch, found.commit)
        if new:
            # Not once for good: work that was taken back comes home as the same commit again.
            site.log.record(WorkImported(found.branch, found.commit, found.commits))
        return new

    async def finish(self, landing: LandingMode, *, ask: Ask | None) -> None:
        """Land the work or leave it on its branch, as wanted and as the checkout allows."""
        work = self.imported
        if work is None:
            return
        if reason := await why_not(landing, work, ask):
            self.keep(reason)
            return
        site = self._spec
        event = await land_work(site.project, self._snapshot, work, run=site.run, form=site.form)
        site.log.record(event, once=f"{event.type} {work.commit}")
