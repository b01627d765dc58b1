"""Backs up all that a run has before its workspace and branch go, and brings it back.

What was imported gets refs in the user's repository. What was not, such as work in progress, was
not judged, so it stays outside, in the run's store of dropped commits.
"""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from treadle.domain.errors import ProjectError
from treadle.domain.events.work import DroppedBranch
from treadle.domain.ids import RunId
from treadle.workspace.agent_tree import agent_git
from treadle.workspace.alternates import lent_directories
from treadle.workspace.backups import back_up, ref_move
from treadle.workspace.clone_git_dir import Clone
from treadle.workspace.commit_store import (
    PACKED,
    discard_links,
    keep_dropped_commits,
    store_folder,
)
from treadle.workspace.commits import commit_files, commit_round
from treadle.workspace.disk import remove, writing_to
from treadle.workspace.disk_tree import copy_index, private_index
from treadle.workspace.dropped_commits import number_refs
from treadle.workspace.git import Git, GitFailed, GitTimedOut
from treadle.workspace.project import Project
from treadle.workspace.quarantine import FETCH, bare_git, write_bare_repository

MESSAGE = "Work in progress"
BACKUPS = "refs/treadle/backup"
# Of the refs in a clone: how many are looked at, and how many backups are made at most. An agent
# makes thousands in a second, and each takes git some milliseconds.
MOST_LOOKS = 400
MOST_REFS = 200
MOST_LISTED = 100_000


@dataclass(frozen=True, slots=True)
class CloneBackup:
    """The refs in the store of what was never imported. `work` is the one of the clone's branch,
    empty if that was imported; `missing` says why not all is kept."""

    refs: tuple[str, ...] = ()
    work: str = ""
    missing: str = ""


def work_folder(run: str) -> str:
    """The refs in the store of what was never imported; their names are numbers in it."""
    return f"{BACKUPS}/{run}/work"


async def back_up_clone(clone: Clone, run: RunId) -> CloneBackup:
    """Keep what the clone has and no ref of the user's repository contains, in the run's store.

    A second call has the same result.
    """
    committed = await commit_round(clone, MESSAGE)
    kept = await keep_dropped_commits(clone, run, committed.tip)
    listed = await _newest_tips(clone)
    tips = dict.fromkeys((committed.tip, *(listed or ())))
    unknown, left_out = await _find_unknown(clone.project, tips)
    refs = await _fetch(clone, run, unknown) if unknown else {}
    tip = committed.tip
    if tip in unknown and tip not in refs:
        unreadable = GitFailed(f"the commits in {clone.path} cannot be read")
        tip = (await commit_files(clone, MESSAGE, unreadable)).tip
        refs |= await _fetch(clone, run, [tip])
        if tip not in refs:
            raise unreadable
    missing = kept.missing if kept is not None else ""
    if left_out:
        missing = f"it has {left_out} more branches and tags, and the newest are kept"
    elif listed is None or not refs.keys() >= set(unknown):
        missing = "some of its branches and tags cannot be read"
    return CloneBackup(tuple(refs.values()), refs.get(tip, ""), missing)


async def _newest_tips(clone: Clone) -> list[str] | None:
    """What the first refs of the clone name, the newest first if git can read all of it. None if
    it cannot even list them: an agent, or a full disk, may have left anything."""
    git = agent_git(clone)
    for order in (("--sort=-creatordate",), ()):
        with suppress(GitTimedOut):
            listing = await git.try_run(
                "for-each-ref", *order, f"--count={MOST_LISTED}", "--format=%(objectname)"
            )
            if listing.ok:
                return listing.output.split()
    return None


def remove_workspace(clone: Path) -> None:
    """Remove the clone and the notes beside it; a damaged git directory, which was moved there,
    stays."""
    discard_links(clone)
    with writing_to(clone):
        for path in clone.parent.glob(f"{clone.name}.*"):
            if not path.name.startswith(f"{clone.name}.damaged-"):
                remove(path)
        remove(clone)


async def back_up_branch(project: Project, run: RunId, branch: str) -> DroppedBranch | None:
    """Keep the last commit of a branch; None if there is no such branch."""
    tip = await project.git.commit_of(f"refs/heads/{branch}")
    return None if tip is None else DroppedBranch(branch, tip, await back_up(project, run, tip))


async def delete_branch(project: Project, backup: DroppedBranch) -> None:
    """Delete a branch that still is where it was backed up, with its settings."""
    ref = f"refs/heads/{backup.branch}"
    if await project.git.commit_of(ref) == backup.commit:
        await project.git.run("update-ref", "-d", ref, backup.commit)


async def is_checked_out(project: Project, branch: str) -> bool:
    """Whether a checkout of the repository is on this branch."""
    listing = await project.git.run("worktree", "list", "--porcelain")
    return f"branch refs/heads/{branch}" in listing.splitlines()


async def restore_branch(project: Project, backup: DroppedBranch) -> str:
    """The branch with the backed-up commit; another name if the old one is taken meanwhile."""
    git, name, number = project.git, backup.branch, 1
    kept = await git.commit_of(backup.ref) or await git.commit_of(backup.commit)
    if kept is None:
        raise ProjectError(
            f"{backup.ref} is gone from {project.root}, so {backup.branch} cannot be restored",
            hint="see what is left with `git for-each-ref refs/treadle`",
        )
    while (current := await git.commit_of(f"refs/heads/{name}")) is not None:
        if await git.is_ancestor(kept, current):
            return name
        number += 1
        name = f"{backup.branch}-{number}"
    await git.run(*ref_move(f"refs/heads/{name}", kept, from_=None))
    return name


async def find_unrestored(project: Project, store: Path, run: str) -> dict[str, str]:
    """The refs of the store that the user's repository does not have, with their commits."""
    kept = await _refs(_store_git(project, store), f"{BACKUPS}/{run}")
    present = await _refs(project.git, f"{BACKUPS}/{run}")
    return {ref: commit for ref, commit in kept.items() if present.get(ref) != commit}


async def restore_commits(project: Project, store: Path, refs: dict[str, str]) -> None:
    """Fetch refs of the store under the same names into the user's repository."""
    specs = (f"+{ref}:{ref}" for ref in refs)
    await project.git.run(*FETCH, str(store), *specs)


async def restore_work(clone: Clone, store: Path, ref: str) -> None:
    """Put a new clone on a commit of the store that was never imported."""
    git = agent_git(clone)
    await git.run(*FETCH, "--update-head-ok", str(store), f"+{ref}:{clone.ref}")
    with private_index(clone.git_dir / "index") as index:
        await git.with_index(index).run("read-tree", "--reset", "-u", clone.ref)
        copy_index(index, clone.git_dir / "index")


async def delete_refs(project: Project, refs: dict[str, str]) -> None:
    """Delete refs that still have these commits."""
    for ref, commit in refs.items():
        if await project.git.commit_of(ref) == commit:
            await project.git.run("update-ref", "-d", ref, commit)


def has_store(store: Path) -> bool:
    """Whether there is a store with any ref."""
    return (
        any(path.is_file() for path in (store / "refs").rglob("*"))
        or (store / "packed-refs").is_file()
    )


async def _find_unknown(project: Project, tips: Iterable[str]) -> tuple[list[str], int]:
    """The first commits that no ref of the user's repository contains, and how many are left that
    nobody has looked at."""
    known = set((await project.git.run("for-each-ref", "--format=%(objectname)")).split())
    others = [tip for tip in tips if tip not in known]
    unknown: list[str] = []
    looks = 0
    for tip in others[:MOST_LOOKS]:
        if len(unknown) == MOST_REFS:
            break
        looks += 1
        if not await _is_kept(project, tip):
            unknown.append(tip)
    return unknown, len(others) - looks


async def _is_kept(project: Project, tip: str) -> bool:
    found = await project.git.try_run("for-each-ref", "--count=1", "--contains", tip)
    return found.ok and bool(found.output)


async def _fetch(clone: Clone, run: RunId, tips: list[str]) -> dict[str, str]:
    """Fetch commits of the clone into the store; the refs of those that can be read, by commit."""
    store_path, folder = store_folder(clone.path), work_folder(run)
    with writing_to(store_path):
        lent = lent_directories(clone.sources.repository, clone.path.parent)
        await asyncio.to_thread(write_bare_repository, clone, store_path, lent)
    store = bare_git(clone, store_path)
    kept = await _refs(store, folder)
    new = number_refs(tips, kept, folder)
    if new:
        fetched = await _try_fetch(store, clone, new)
        if not fetched and len(new) > 1:
            new = {
                ref: commit
                for ref, commit in new.items()
                if await _try_fetch(store, clone, {ref: commit})
            }
        elif not fetched:
            new = {}
    by_commit = {commit: ref for ref, commit in (kept | new).items()}
    return {tip: by_commit[tip] for tip in tips if tip in by_commit}


async def _try_fetch(store: Git, clone: Clone, refs: dict[str, str]) -> bool:
    specs = (f"{commit}:{ref}" for ref, commit in refs.items())
    return (await store.try_run(*PACKED, *FETCH, str(clone.path), *specs)).ok


def _store_git(project: Project, store: Path) -> Git:
    return project.git.with_options(f"--git-dir={store}")


async def _refs(git: Git, folder: str) -> dict[str, str]:
    """The refs in a folder with their commits."""
    listing = await git.try_run("for-each-ref", "--format=%(refname) %(objectname)", folder)
    if not listing.ok:
        raise GitFailed(f"the refs of {git.directory} cannot be read: {listing.error_line}")
    return dict(line.split(" ") for line in listing.output.splitlines())
