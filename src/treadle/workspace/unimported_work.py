"""Checks whether a run's clone holds work that the user's repository does not have."""

from treadle.workspace.agent_tree import agent_git
from treadle.workspace.clone_git_dir import Clone
from treadle.workspace.disk_tree import private_index
from treadle.workspace.git import Git, run_together
from treadle.workspace.git_status import REFS_COMMAND, STATUS_COMMAND, read_status
from treadle.workspace.project import Project

# More are kept without a look at each, which would take git some milliseconds.
MOST_TIPS = 200


async def is_all_imported(clone: Clone, imported: str) -> bool:
    """Whether a repaired clone has no uncommitted file and no ref that was not imported.

    `imported` is the last imported commit, even if the user has deleted its branch since.
    """
    git = agent_git(clone)
    with private_index(clone.git_dir / "index") as index:
        if not index.exists():
            return False
        refs, status = await run_together(
            git.try_run(*REFS_COMMAND), git.with_index(index).try_run(*STATUS_COMMAND)
        )
    if not refs.ok or not status.ok or not _is_clean(status.output):
        return False
    known = await clone.project.git.try_run("for-each-ref", "--format=%(objectname)")
    others = await _named_tips(git, refs.output) - {*known.output.split()}
    if len(others) > MOST_TIPS:
        return False
    for tip in others:
        if not await _is_imported(clone.project, tip, imported):
            return False
    return True


def _is_clean(listing: str) -> bool:
    status = read_status(listing)
    changed = status.changed
    touched = changed.removed or changed.present or changed.left_out
    return not (status.staged or status.unmerged or touched)


async def _named_tips(git: Git, listing: str) -> set[str]:
    tips = {line.split(" ")[2] for line in listing.split("\n") if line}
    return tips | {await git.commit_of("HEAD") or "an unreadable HEAD"}


async def _is_imported(project: Project, tip: str, imported: str) -> bool:
    if tip == imported:
        return True
    containing = await project.git.try_run("for-each-ref", "--count=1", "--contains", tip)
    return containing.ok and bool(containing.output)
