"""Makes a run's clone, complete or not at all, and repairs an existing one."""

from pathlib import Path

from treadle.domain.agent import CommitIdentity
from treadle.workspace.agent_tree import repair_clone
from treadle.workspace.clone_git_dir import Clone, find_sources
from treadle.workspace.project import Project
from treadle.workspace.snapshot import Snapshot

__all__ = ["Clone", "make_clone"]


async def make_clone(
    project: Project,
    snapshot: Snapshot,
    *,
    branch: str,
    identity: CommitIdentity,
    into: Path,
    credit_patterns: tuple[str, ...] = (),
) -> Clone:
    """Make a clone at `into` (absolute), on the run's branch; an existing one keeps its work.

    Each run needs its own parent directory: temporary and damaged files are written beside the
    clone.
    """
    sources = await find_sources(project, into.with_name(into.name + ".skeleton"))
    clone = Clone(project, into, branch, snapshot.commit, identity, sources, credit_patterns)
    await repair_clone(clone)
    return clone
