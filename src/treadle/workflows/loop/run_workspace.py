"""The workspace of a run: its clone, commits, imports and landing, each recorded."""

from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

from treadle.domain.errors import ProjectError
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import (
    WithheldPath,
    WorkCommitted,
    WorkImported,
    WorkKept,
)
from treadle.domain.ids import short_id, started_at
from treadle.domain.run import LandingMode
from treadle.workflows.loop.landing import Ask, land_work, why_not
from treadle.workflows.loop.session_commits import record_dropped_commits, watch_commits
from treadle.workflows.loop.tool_file_review import ToolFileReview
from treadle.workflows.loop.withheld_files import (
    withheld_commits_text,
    withheld_event,
    withheld_reason,
)
from treadle.workflows.loop.workspace_spec import ImportedTip, UnlandedWork, WorkspaceSpec
from treadle.workspace.clone import Clone
from treadle.workspace.commit_rewrite import rewrite_commits
from treadle.workspace.commits import CommittedRound, commit_files, commit_round
from treadle.workspace.git import GitFailed
from treadle.workspace.ignore_rules import IgnoreRules
from treadle.workspace.imports import (
    ImportedBranch,
    aside_ref,
    find_nested_repositories,
    import_work,
)
from treadle.workspace.notes import NotesRefused, copy_notes_in, copy_notes_out, write_notes
from treadle.workspace.object_watch import ObjectWatch
from treadle.workspace.quarantine import Quarantine, continue_from, discard, fetch_round
from treadle.workspace.round_losses import clear_loss, note_loss, note_withheld, read_withheld
from treadle.workspace.round_work import RoundWork, join_commits
from treadle.workspace.salvage import SET_ASIDE_REMARK
from treadle.workspace.secret_scan import ForbiddenContent, ScreenedRound, screen_round
from treadle.workspace.snapshot import Snapshot
from treadle.workspace.snapshot_ignore_rules import read_ignore_rules
from treadle.workspace.tree_change import TreeChange, measure_change

__all__ = ["ImportedTip", "RunWorkspace", "UnlandedWork", "WorkspaceSpec"]


class RunWorkspace:
    """The clone of one run. `imported` is the work that the user's repository has."""

    def __init__(self, spec: WorkspaceSpec, snapshot: Snapshot, clone: Clone) -> None:
        self._spec = spec
        self.origin = snapshot
        self._clone = clone
        self.path = clone.path
        self._imported_tip: str | None = None  # of the last import
        self._start = spec.unlanded.commit if spec.unlanded else snapshot.commit
        self.imported: ImportedBranch | None = None
        self._is_reopened = False
        self._last_committed: CommittedRound | None = None
        self._ignored: IgnoreRules | None = None  # read for the first round with work
        self.review = ToolFileReview(spec, snapshot.commit, self.ignore_rules)

    @classmethod
    def reopened(
        cls, spec: WorkspaceSpec, snapshot: Snapshot, clone: Clone, imported: ImportedBranch | None
    ) -> "RunWorkspace":
        """The workspace of a run that another process started."""
        workspace = cls(spec, snapshot, clone)
        workspace.imported, workspace._is_reopened = imported, True
        return workspace

    @property
    def snapshot(self) -> str:
        """The commit of the user's checkout when the run began."""
        return self.origin.commit

    @property
    def starts_from_checkout(self) -> bool:
        """Whether the run began with the user's checkout, and not with work of an earlier run."""
        return self._start == self.origin.commit

    @property
    def project_root(self) -> Path:
        return self._spec.project.root

    async def contains(self, commit: str) -> bool:
        """Whether the run's start, its imports or landed work contain this commit."""
        git = self._spec.project.git
        for tip in (self.start, self._start, *self._spec.landed):
            if await git.is_ancestor(commit, tip):
                return True
        return False

    async def tree_change(self, before: str, after: str) -> TreeChange:
        """How the work changed between two imported commits."""
        return await measure_change(self._spec.project.git, before, after, self._last_committed)

    @property
    def start(self) -> str:
        """The commit of the run when this process took over."""
        return self.imported.commit if self.imported is not None else self._start

    async def prepare(self, spec_path: str) -> None:
        """Prepare the first session; safe to repeat until then."""
        spec = self._spec
        if spec_path and not (self.path / spec_path).exists():
            raise ProjectError(
                f"{spec_path} is ignored by git, so the agent would not see it",
                hint="take it out of .gitignore",
            )
        copied = copy_notes_in(self._clone) if spec.place == "checkout" else None
        if isinstance(copied, NotesRefused):
            spec.log.record(RunWarned(copied.reason), once="notes refused")
        if spec.unlanded is not None:
            # No agent has written to the clone yet.
            await self._import(spec.unlanded.commit, self.path)

    def begin_round(self) -> None:
        """Clear the losses of the last round, which is complete."""
        clear_loss(self.path)

    def watch_commits(self) -> AbstractAsyncContextManager[ObjectWatch]:
        return watch_commits(self.path, self._spec.log)

    async def commit_and_import(self, message: str) -> ImportedTip:
        """Commit the work of the session, and import all commits of the run."""
        record = self._spec.log.record
        committed = await commit_round(self._clone, message)
        made, nested = committed.tip, tuple[str, ...]()
        if committed.tip == self._imported_tip and committed.aside is None:
            note_withheld(self.path, ())
            self._record_commit(committed, message)
        else:
            committed, nested = await self._judge_and_import(committed, message)
        if left_out := (*committed.left_out, *nested):
            names = ", ".join(left_out)
            record(RunWarned(f"nested repositories are not part of the work: {names}"))
        if committed.aside is not None:
            ref = aside_ref(self._spec.run, committed.aside)
            record(RunWarned(f"{SET_ASIDE_REMARK}; your repository keeps it as {ref}"))
        spec = self._spec
        copied = copy_notes_out(self._clone, spec.clean) if spec.place == "checkout" else None
        if isinstance(copied, NotesRefused):
            record(RunWarned(copied.reason))
        await record_dropped_commits(self._clone, self._spec, made, committed.tip)
        self._last_committed = committed
        return ImportedTip(committed.tip, committed.lost)

    async def _judge_and_import(
        self, committed: CommittedRound, message: str
    ) -> tuple[CommittedRound, tuple[str, ...]]:
        """Import what may be imported; the nested repositories that it refers to.

        All is judged in the quarantine, and nothing else is imported.
        """
        try:
            quarantine = await self._fetch(committed)
            screened = await self._screen(committed, message, quarantine)
        except GitFailed as error:
            recommitted = await commit_files(self._clone, message, error)
            # The second attempt does not restore what the first one lost.
            committed = replace(recommitted, lost=committed.lost or recommitted.lost)
            quarantine = await self._fetch(committed)
            screened = await self._screen(committed, message, quarantine)
        judged = self._record_withheld(screened)
        self._record_commit(judged, message)
        if self._is_reopened:
            self._is_reopened = False
            await self._record_last_commit(judged.tip, message, quarantine)
        older_tip = self._imported_tip or self._clone.base
        is_new = await self._import(judged.tip, quarantine.path, before=self._is_one_more(judged))
        await continue_from(self._clone, quarantine, made=committed.tip, judged=judged.tip)
        discard(quarantine)
        if not is_new or not screened.has_repositories:
            return judged, ()
        return judged, await find_nested_repositories(self._spec.project, older_tip, judged.tip)

    async def _fetch(self, committed: CommittedRound) -> Quarantine:
        imported = self._imported_tip or self.start
        return await fetch_round(self._clone, committed.tip, imported, committed.aside)

    async def _screen(
        self, committed: CommittedRound, message: str, quarantine: Quarantine
    ) -> ScreenedRound:
        spec = self._spec
        forbidden = ForbiddenContent(
            spec.search,
            spec.protected,
            frozenset(spec.included),
            await self.ignore_rules(),
            spec.tool_files,
        )
        imported = self._imported_tip or self.start
        work = RoundWork(self._clone, imported, message, quarantine, started_at(spec.run))
        screened = await screen_round(work, committed, forbidden)
        joined = None
        if spec.commit_strategy == "single":
            joined = await join_commits(work, screened.committed, spec.clean)
        if joined is not None:
            return replace(screened, committed=joined)
        if not screened.is_misattributed:
            return screened
        rewritten = await rewrite_commits(quarantine, screened.committed, imported, work.authorship)
        return replace(screened, committed=rewritten)

    def _record_withheld(self, screened: ScreenedRound) -> CommittedRound:
        """The round without forbidden content, which is recorded and noted for the agent."""
        if credentials := [path for path in screened.only_in_history if not path.is_protected]:
            self._spec.log.record(RunWarned(withheld_commits_text(credentials)))
        withheld = (
            *screened.withheld,
            *(each for each in screened.only_in_history if each.is_protected),
        )
        if withheld:
            self._spec.log.record(withheld_event(withheld))
        lost = withheld_reason(screened.withheld, self.withheld)
        if lost and all(path.is_by_path for path in screened.withheld):
            # `note_withheld` makes it known, so that a repetition would find no loss.
            note_loss(self.path, lost)
        note_withheld(self.path, withheld)
        return replace(screened.committed, lost=screened.committed.lost or lost)

    async def ignore_rules(self) -> IgnoreRules:
        """The rules that counted when the run started."""
        if self._ignored is None:
            self._ignored = await read_ignore_rules(self._clone)
        return self._ignored

    @property
    def withheld(self) -> tuple[WithheldPath, ...]:
        """The files of the last round that were not imported."""
        return read_withheld(self.path)

    def _record_commit(self, committed: CommittedRound, message: str) -> None:
        for remark in committed.remarks:
            self._spec.log.record(RunWarned(remark))
        if committed.commit is not None:
            self._spec.log.record(
                WorkCommitted(committed.commit, message), once=f"committed {committed.commit}"
            )

    async def _record_last_commit(self, tip: str, message: str, quarantine: Quarantine) -> None:
        """Record the commit of a process that died before it could."""
        if tip in (self._clone.base, self._start):
            return
        written = await quarantine.git.run("log", "-1", "--format=%B", tip)
        if written.strip() == message:
            self._spec.log.record(WorkCommitted(tip, message), once=f"committed {tip}")

    def write_notes(self, text: str) -> str:
        """Replace the project's hand-over notes; why that failed, or an empty text."""
        result = write_notes(self._spec.project.root, self._spec.clean(text))
        return result.reason if isinstance(result, NotesRefused) else ""

    def keep(self, reason: str, command: str = "") -> None:
        """Leave the work on its branch; record why, and how to bring it where it belongs."""
        if self.imported is not None:
            command = command or f"treadle land {short_id(self._spec.run)}"
            event = WorkKept(self.imported.branch, reason, command)
            self._spec.log.record(event, once=f"kept {self.imported.commit} {reason}")

    def _is_one_more(self, committed: CommittedRound) -> ImportedBranch | None:
        """The last import, if the round is one commit on top of it, which Treadle made."""
        last = self.imported
        return last if last is not None and committed.on_top_of == last.commit else None

    async def _import(
        self, tip: str, source: Path, *, before: ImportedBranch | None = None
    ) -> bool:
        """Import up to this commit; whether anything was new."""
        spec = self._spec
        imported = await import_work(self._clone, spec.run, tip, source=source, before=before)
        self._imported_tip = tip
        if not isinstance(imported, ImportedBranch):
            return False
        last, self.imported = self.imported, imported
        # Compared with the last record, because an earlier process may have died before it.
        is_new = last is None or (last.branch, last.commit) != (imported.branch, imported.commit)
        if is_new:
            # Without a key: reverted work can be imported as the same commit again.
            spec.log.record(WorkImported(imported.branch, imported.commit, imported.commits))
        return is_new

    async def finish(self, landing: LandingMode, *, ask: Ask | None, because: str = "") -> None:
        """Land the work, or leave it on its branch if the mode or the checkout demands that.
        `because` says why a person is asked."""
        work = self.imported
        if work is None:
            return
        if reason := await why_not(landing, work, ask, because=because):
            self.keep(reason)
            return
        spec = self._spec
        event = await land_work(spec.project, self.origin, work, run=spec.run, method=spec.method)
        spec.log.record(event, once=f"{event.type} {work.commit}")
