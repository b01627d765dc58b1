"""Makes a run's clone, complete or not at all, and finds it again after a crash."""

from pathlib import Path

from treadle.domain.agent import CommitIdentity
from treadle.workspace.agent_tree import repair_clone
from treadle.workspace.attribution import Attribution
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
    attribution: Attribution = "removed",
) -> Clone:
    """A clone at `into` (absolute), on the run's branch; one that is there keeps all its work.

    Give each run a parent directory of its own: what has to be built or set aside goes beside it.
    """
    sources = await find_sources(project, into.with_name(into.name + ".skeleton"))
    clone = Clone(project, into, branch, snapshot.commit, identity, sources, attribution)
    await repair_clone(clone)
    return clone
