"""Commits of a run's clone come into the user's repository, checked, on the run's own branch.

Nothing else there changes: not the checkout, the index, HEAD, other branches or FETCH_HEAD.
"""

from dataclasses import dataclass

from treadle.domain.ids import RunId
from treadle.workspace.agent_tree import agent_git, mend
from treadle.workspace.backups import back_up, ref_move
from treadle.workspace.commits import ASIDE
from treadle.workspace.project import Project
from treadle.workspace.skeleton import Clone

_FETCH = (
    "-c", "fetch.fsckObjects=true",
    "-c", "transfer.fsckObjects=true",
    "-c", "fetch.prune=false",
    "-c", "fetch.writeCommitGraph=false",
    "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance",
    "--no-recurse-submodules", "--no-prune",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Imported:
    """The run's work is on `branch`. Only work that descends from the snapshot can be landed."""

    branch: str
    commit: str
    commits: int
    descends: bool
    moved: bool  # False when an earlier import had brought the same


@dataclass(frozen=True, slots=True)
class NothingNew:
    """The run has no commit beyond its snapshot, and never had."""


async def import_work(project: Project, clone: Clone, run: RunId) -> Imported | NothingNew:
    """Fetch first, then a backup if the branch would lose commits, then the branch, in one step.

    Cut anywhere, the fetched commits are kept by a private ref and a second call ends the same.
    """
    incoming = f"refs/treadle/incoming/{run}"
    await mend(clone)
    commit = await _fetch(project, clone, run, incoming)
    branch, held = await _free_branch(project, clone.branch)
    if held is None and commit == clone.base:
        await project.git.run("update-ref", "-d", incoming)
        return NothingNew()
    if held is not None and not await project.git.is_ancestor(held, commit):
        await back_up(project, run, held)
    if held != commit:
        await project.git.run(*ref_move(f"refs/heads/{branch}", commit, from_=held))
    await project.git.run("update-ref", "-d", incoming)
    count = await project.git.run("rev-list", "--count", f"{clone.base}..{commit}")
    return Imported(
        branch,
        commit,
        int(count),
        descends=await project.git.is_ancestor(clone.base, commit),
        moved=held != commit,
    )


async def _fetch(project: Project, clone: Clone, run: RunId, incoming: str) -> str:
    wanted = [f"+refs/heads/{clone.branch}:{incoming}"]
    if await agent_git(clone).run("for-each-ref", "--count=1", ASIDE):
        wanted.append(f"+{ASIDE}/*:{ASIDE}/{run}/*")
    await project.git.run(*_FETCH, str(clone.path), *wanted)
    return await project.git.run("rev-parse", "--verify", f"{incoming}^{{commit}}")


async def _free_branch(project: Project, wanted: str) -> tuple[str, str | None]:
    """The run's branch, or one numbered after it while somebody has that one checked out."""
    listing = await project.git.run("worktree", "list", "--porcelain")
    checked_out = {line.removeprefix("branch ") for line in listing.splitlines()}
    name, number = wanted, 1
    while f"refs/heads/{name}" in checked_out:
        number += 1
        name = f"{wanted}-{number}"
    return name, await project.git.commit_of(f"refs/heads/{name}")
