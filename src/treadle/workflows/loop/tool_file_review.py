"""Records which files of the work tools obey by themselves, after each import: also the work of a
run that is killed or fails later names them."""

from collections.abc import Awaitable, Callable
from contextlib import suppress

from treadle.domain.events.work import ToolFile, ToolFilesTouched
from treadle.workflows.loop.workspace_spec import WorkspaceSpec
from treadle.workspace.changed_tool_files import LandingRules, find_changed_tool_files
from treadle.workspace.git import GitFailed
from treadle.workspace.ignore_rules import IgnoreRules
from treadle.workspace.imports import ImportedBranch


class ToolFileReview:
    """The review of one run's work. Only another result than the last one is recorded."""

    def __init__(
        self, spec: WorkspaceSpec, snapshot: str, ignored: Callable[[], Awaitable[IgnoreRules]]
    ) -> None:
        self._spec = spec
        self._snapshot = snapshot
        self._ignored = ignored
        self._recorded: tuple[ToolFile, ...] = ()
        self._reviewed = ""  # the commit of the last review

    async def record_round(self, work: ImportedBranch | None) -> None:
        """As `record`, after a round: if git cannot tell, the end of the run says so."""
        with suppress(GitFailed):
            await self.record(work)

    async def record(self, work: ImportedBranch | None) -> tuple[ToolFile, ...]:
        """The files of the work that tools obey by themselves; raises GitFailed."""
        if work is None:
            return ()
        if work.commit == self._reviewed:
            return self._recorded
        spec, ignored = self._spec, await self._ignored()
        rules = LandingRules(spec.tool_files, ignored.covers_folder, spec.hooks)
        found = await find_changed_tool_files(spec.project, self._snapshot, work.commit, rules)
        if found != self._recorded:
            spec.log.record(ToolFilesTouched(found))
        self._recorded, self._reviewed = found, work.commit
        return found
