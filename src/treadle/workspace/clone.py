"""A run's own clone: made complete or not at all, and found again after a crash."""

from dataclasses import replace
from pathlib import Path

from treadle.domain.agent import Identity
from treadle.workspace.agent_tree import agent_git, mend, start_of
from treadle.workspace.attribution import Attribution
from treadle.workspace.project import Project
from treadle.workspace.skeleton import Clone, write_skeleton
from treadle.workspace.snapshot import Snapshot

__all__ = ["Clone", "make_clone"]


async def make_clone(
    project: Project,
    snapshot: Snapshot,
    *,
    branch: str,
    identity: Identity,
    into: Path,
    attribution: Attribution = "removed",
) -> Clone:
    """A clone at `into`, on the run's branch; one that is there already keeps all its work.

    It is built beside its place and moved there in one step, so a crash leaves all or nothing.
    """
    clone = Clone(project, into, branch, snapshot.commit, identity, attribution)
    if _is_there(into):
        await mend(clone)
        return clone
    building = replace(clone, path=into.with_name(into.name + ".building"))
    await write_skeleton(building, building.path)
    git = agent_git(building)
    start = await start_of(clone)
    await git.run("update-ref", f"refs/heads/{branch}", start)
    await git.run("read-tree", "--reset", "-u", start)
    _put_in_place(building.path, into)
    return clone


def _is_there(path: Path) -> bool:
    return path.is_dir() and any(path.iterdir())


def _put_in_place(building: Path, path: Path) -> None:
    if path.is_dir():
        path.rmdir()
    building.rename(path)
