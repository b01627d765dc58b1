"""Imports judged commits into the user's repository, on the run's branch.

Nothing else there changes: not the checkout, the index, HEAD, other branches or FETCH_HEAD.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from treadle.domain.ids import RunId
from treadle.workspace.backups import back_up, ref_move
from treadle.workspace.clone_git_dir import Clone
from treadle.workspace.disk_tree import SUBMODULE_MODE
from treadle.workspace.git import GitFailed
from treadle.workspace.project import Project
from treadle.workspace.quarantine import FETCH, FetchFailed
from treadle.workspace.salvage import ASIDE_REFS


@dataclass(frozen=True, slots=True)
class ImportedBranch:
    """The run's work is on `branch`. Only work that descends from the snapshot can be landed."""

    branch: str
    commit: str
    commits: int
    descends: bool
    moved: bool  # False if an earlier import had the same commit


@dataclass(frozen=True, slots=True)
class NothingToImport:
    """The run has no commit beyond its snapshot and had none before."""


@dataclass(frozen=True, slots=True)
class _PlacedBranch:
    """The branch that contains the work."""

    branch: str
    moved: bool


async def import_work(
    clone: Clone, run: RunId, tip: str, *, source: Path, before: ImportedBranch | None = None
) -> ImportedBranch | NothingToImport:
    """Import `tip` from the repository `source`: the quarantine in which it was judged.

    `before` is an earlier import, if `tip` is known to be one commit on top of it. After an
    interruption a ref keeps the fetched commits, and a second call has the same result.
    """
    project = clone.project
    placed = await _fast_forward(clone, run, tip, source)
    placed = placed or await _fetch_and_place(clone, run, tip, source)
    if placed is None:
        return NothingToImport()
    if before is not None:
        return replace(
            before,
            branch=placed.branch,
            commit=tip,
            commits=before.commits + 1,
            moved=placed.moved,
        )
    sides = f"{clone.base}...{tip}"
    counts = await project.git.run("rev-list", "--count", "--left-right", sides)
    dropped, added = counts.split()
    return ImportedBranch(
        placed.branch, tip, int(added), descends=dropped == "0", moved=placed.moved
    )


async def find_nested_repositories(project: Project, older: str, newer: str) -> tuple[str, ...]:
    """Repositories that a commit contains only as a reference: a checkout has empty directories."""
    listing = await project.git.run(
        *("diff-tree", "-r", "--raw", "-z", "--no-renames", "--diff-filter=AT"),
        *("--ignore-submodules=none", older, newer),
    )
    fields = listing.split("\0")
    return tuple(
        f"{path}/"
        for entry, path in zip(fields[0::2], fields[1::2], strict=False)
        if entry.split(" ")[1] == SUBMODULE_MODE
    )


async def _fast_forward(clone: Clone, run: RunId, tip: str, source: Path) -> _PlacedBranch | None:
    """Fetch directly onto the run's branch; None if it would lose commits or is checked out."""
    if tip == clone.base or _has_linked_worktrees(clone.sources.repository):
        return None
    git = clone.project.git.with_variables(GIT_REFLOG_ACTION="treadle")
    fetched = await git.try_run(*FETCH, str(source), f"{tip}:{clone.ref}", _aside_refspec(run))
    if not fetched.ok:
        return None
    # Git lists exactly the refs that it moved.
    moved = any(line.endswith(f" -> {clone.branch}") for line in fetched.stderr.splitlines())
    return _PlacedBranch(clone.branch, moved=moved)


def _has_linked_worktrees(repository: Path) -> bool:
    """Whether other worktrees exist: git before 2.35 checks only the branch of its own worktree."""
    worktrees = repository / "worktrees"
    return worktrees.is_dir() and any(worktrees.iterdir())


def aside_ref(run: RunId, commit: str) -> str:
    """The ref in the user's repository for a commit that was set aside in the clone."""
    return f"{ASIDE_REFS}/{run}/{commit}"


def _aside_refspec(run: RunId) -> str:
    return f"+{ASIDE_REFS}/*:{aside_ref(run, '*')}"


async def _fetch_and_place(
    clone: Clone, run: RunId, tip: str, source: Path
) -> _PlacedBranch | None:
    """Fetch, back up the branch if it would lose commits, then move it in one step."""
    project = clone.project
    incoming = f"refs/treadle/incoming/{run}"
    try:
        await project.git.run(*FETCH, str(source), f"+{tip}:{incoming}", _aside_refspec(run))
    except GitFailed as error:
        raise FetchFailed(error.message, hint=error.hint) from error
    branch, current = await _free_branch(project, clone.branch)
    if current is None and tip == clone.base:
        await project.git.run("update-ref", "-d", incoming)
        return None
    if current is not None and not await project.git.is_ancestor(current, tip):
        await back_up(project, run, current)
    if current != tip:
        await project.git.run(*ref_move(f"refs/heads/{branch}", tip, from_=current))
    await project.git.run("update-ref", "-d", incoming)
    return _PlacedBranch(branch, moved=current != tip)


async def _free_branch(project: Project, wanted: str) -> tuple[str, str | None]:
    """The run's branch, or a numbered one if that branch is checked out."""
    listing = await project.git.run("worktree", "list", "--porcelain")
    checked_out = {line.removeprefix("branch ") for line in listing.splitlines()}
    name, number = wanted, 1
    while f"refs/heads/{name}" in checked_out:
        number += 1
        name = f"{wanted}-{number}"
    return name, await project.git.commit_of(f"refs/heads/{name}")
