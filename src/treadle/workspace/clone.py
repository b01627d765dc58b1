"""Makes a run's clone, complete or not at all, and repairs an existing one."""

from pathlib import Path

from treadle.domain.agent import CommitIdentity
from treadle.workspace.agent_tree import repair_clone
from treadle.workspace.clone_git_dir import Clone, CommitRules, find_sources
from treadle.workspace.lent_objects import lend_objects
from treadle.workspace.project import Project
from treadle.workspace.snapshot import Snapshot

__all__ = ["Clone", "CommitRules", "make_clone"]


async def make_clone(
    project: Project,
    snapshot: Snapshot,
    *,
    branch: str,
    identity: CommitIdentity,
    into: Path,
    rules: CommitRules,
) -> Clone:
    """Make a clone at `into` (absolute), on the run's branch; an existing one keeps its work.

    Each run needs its own parent directory: temporary and damaged files are written beside the
    clone.
    """
    await lend_objects(project, snapshot.commit, into.parent)
    sources = await find_sources(project, into.with_name(into.name + ".skeleton"))
    clone = Clone(project, into, branch, snapshot.commit, identity, sources, rules)
    await repair_clone(clone)
    return clone
