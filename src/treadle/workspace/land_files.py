"""Puts a run's work into the user's checkout as uncommitted changes; HEAD and index stay as is."""

from typing import assert_never

from treadle.domain.ids import RunId
from treadle.workspace.backups import back_up
from treadle.workspace.imports import Imported
from treadle.workspace.land import Kept, Landed, LandingOutcome, gather, words_for
from treadle.workspace.landing_decision import HasLanded, Keep, Land, decide_landing
from treadle.workspace.project import Project
from treadle.workspace.snapshot import Snapshot, tree_of

_DIFF = ("diff-tree", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff")
_APPLY = ("apply", "--binary", "--whitespace=nowarn", "-")


async def land_files(
    project: Project, snapshot: Snapshot, imported: Imported, run: RunId
) -> LandingOutcome:
    """All files or none: git checks every one of them before it writes the first.

    A checkout that holds the work already has landed, so a second call says the same.
    """
    facts = await gather(project, snapshot, imported)
    if facts.now.tree == await tree_of(project.git, imported.commit):
        return Landed(imported.commit)
    match decide_landing(facts):
        case HasLanded():
            return Landed(imported.commit)
        case Keep(reason, command):
            return Kept(reason, command)
        case Land():
            return await _apply(project, snapshot, imported, run)
        case unreachable:
            assert_never(unreachable)


async def _apply(
    project: Project, snapshot: Snapshot, imported: Imported, run: RunId
) -> LandingOutcome:
    # The snapshot holds the files as they are now, uncommitted changes included.
    await back_up(project, run, snapshot.commit)
    patch = await project.git.run(*_DIFF, snapshot.commit, imported.commit)
    applied = await project.git.try_run(
        *_APPLY, stdin=patch.encode(errors="surrogateescape") + b"\n"
    )
    if applied.ok:
        return Landed(imported.commit)
    return Kept(words_for(applied), f"git merge {imported.branch}")
