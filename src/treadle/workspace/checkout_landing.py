"""Lands a run's work in the user's checkout, by fast-forward or as uncommitted changes.

With a detached HEAD, HEAD itself moves. Uncommitted changes that the run started from become the
snapshot's commit, below the work.
"""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias, assert_never

from treadle.domain.ids import RunId, short_id
from treadle.workspace.backups import back_up, ref_move
from treadle.workspace.disk_tree import copy_index, private_index
from treadle.workspace.git import GitResult
from treadle.workspace.git_programs import FilteredFile, GitPrograms
from treadle.workspace.imports import ImportedBranch
from treadle.workspace.landing_decision import (
    AlreadyLanded,
    KeepOnBranch,
    LandingFacts,
    LandMerged,
    LandNow,
    decide_landing,
)
from treadle.workspace.landing_filters import (
    find_filtered_files,
    read_programs,
    without_programs,
)
from treadle.workspace.merge import differs_outside, differs_within, with_paths_of
from treadle.workspace.project import Project, operation_in_progress, read_identity
from treadle.workspace.snapshot import CheckoutState, Snapshot, commit_tree, read_checkout, tree_of

_MERGE = (
    "-c", "merge.verifySignatures=false",
    "merge", "--ff-only", "--no-verify-signatures", "--no-overwrite-ignore",
    "--no-autostash", "--no-stat", "--quiet",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LandedCommit:
    """The checkout contains the work; a repeated landing returns the same."""

    commit: str


@dataclass(frozen=True, slots=True)
class LandingRefused:
    """The checkout is unchanged: the reason, and the command that merges the work."""

    reason: str
    command: str


LandingOutcome: TypeAlias = LandedCommit | LandingRefused


async def land(
    project: Project,
    snapshot: Snapshot,
    imported: ImportedBranch,
    run: RunId,
    free: tuple[str, ...] = (),
) -> LandingOutcome:
    """Write backups, move branch and index to the snapshot, then fast-forward. Changes of the free
    paths stay as they are.

    Interrupted at any point, every file is as the user or the run left it, and a second call
    continues.
    """
    programs = await read_programs(project.git)
    facts = await gather_facts(project, snapshot, imported, programs, free)
    silent = replace(project, git=without_programs(project.git, programs))
    match decide_landing(facts):
        case AlreadyLanded():
            return LandedCommit(imported.commit)
        case KeepOnBranch(reason, command):
            return LandingRefused(reason, command)
        case LandNow():
            return await _fast_forward(silent, snapshot, imported, run)
        case LandMerged():
            merged = await _merged(silent, snapshot, imported, facts.now, free)
            return await _fast_forward(silent, *merged, run)
        case unreachable:
            assert_never(unreachable)


async def _merged(
    project: Project,
    snapshot: Snapshot,
    imported: ImportedBranch,
    now: CheckoutState,
    free: tuple[str, ...],
) -> tuple[Snapshot, ImportedBranch]:
    """The snapshot and the work on top of the checkout's commit, with its free paths."""
    head, author = now.head, await read_identity(project)
    assert head is not None  # noqa: S101  the decision says that it descends from another commit
    start = head
    if snapshot.dirty:
        start = await with_paths_of(project, snapshot.commit, head, free, author)
    work = await with_paths_of(project, imported.commit, start, free, author)
    tree, dirty = await tree_of(project.git, start), start != head
    return Snapshot(head, now.branch, start, tree, dirty=dirty), replace(imported, commit=work)


async def gather_facts(
    project: Project,
    snapshot: Snapshot,
    imported: ImportedBranch,
    programs: GitPrograms,
    free: tuple[str, ...] = (),
) -> LandingFacts:
    """Read the current facts for the decision."""
    now = await read_checkout(project)
    git, work, before = project.git, imported.commit, snapshot.checkout
    same_files = same_commit = False
    # Work with changes of a free path is no reason to overwrite those of a person.
    if free and not await differs_within(git, snapshot.commit, work, free):
        same_files = not await differs_outside(git, before.tree, now.tree, free)
        same_commit = None not in (before.head, now.head) and await git.is_ancestor(
            str(before.head), str(now.head)
        )
    branch_commit = await git.commit_of(f"refs/heads/{imported.branch}")
    filtered: tuple[FilteredFile, ...] = ()
    if branch_commit is not None:  # else nothing keeps the work's objects
        filtered = await find_filtered_files(git, programs, snapshot.commit, work)
    return LandingFacts(
        before=snapshot.checkout,
        now=now,
        snapshot_commit=snapshot.commit,
        branch=imported.branch,
        branch_commit=branch_commit,
        work=work,
        work_in_head=now.head is not None and await git.is_ancestor(work, now.head),
        descends=imported.descends,
        operation=operation_in_progress(project.git_dir),
        same_files=same_files,
        same_commit=same_commit,
        filtered=filtered,
    )


async def _fast_forward(
    project: Project, snapshot: Snapshot, imported: ImportedBranch, run: RunId
) -> LandingOutcome:
    head = await project.git.commit_of("HEAD")
    if head is not None:
        await back_up(project, run, head)
    await _back_up_index(project, run, snapshot)
    with private_index(project.git_dir / "index") as saved:
        refusal = await _merge(project, snapshot, imported, head)
        if refusal is None:
            return LandedCommit(imported.commit)
        # Git checks everything before it writes a file, so only Treadle's own moves need undoing.
        if head != snapshot.commit and await project.git.commit_of("HEAD") == snapshot.commit:
            await _move_back(project, snapshot.commit, head)
        _restore_index(project, saved, snapshot)
    return LandingRefused(
        refusal_text(refusal), f"git merge --no-overwrite-ignore {imported.branch}"
    )


async def _merge(
    project: Project, snapshot: Snapshot, imported: ImportedBranch, head: str | None
) -> GitResult | None:
    """Move index, branch and files, in this order; returns git's result if one fails."""
    steps: list[tuple[str, ...]] = []
    if snapshot.dirty:
        steps.append(("read-tree", "-i", "-m", snapshot.commit))
    if head != snapshot.commit:
        steps.append(ref_move("HEAD", snapshot.commit, from_=head))
    steps.append((*_MERGE, imported.commit))
    for step in steps:
        ran = await project.git.try_run(*step)
        if not ran.ok:
            return ran
    return None


async def _back_up_index(project: Project, run: RunId, snapshot: Snapshot) -> None:
    """Back up staged content that is neither in HEAD nor on disk: nothing else keeps it."""
    with private_index(project.git_dir / "index") as index:
        has_index = os.access(index, os.R_OK)
        staged = await project.git.with_index(index).try_run("write-tree")
    known = {snapshot.tree}
    if snapshot.head is not None:
        known.add(await tree_of(project.git, snapshot.head))
    if has_index and staged.ok and staged.output not in known:
        commit = await commit_tree(
            project.git,
            staged.output,
            parents=() if snapshot.head is None else (snapshot.head,),
            message=f"Staged changes before landing (treadle {short_id(run)})",
            author=await read_identity(project),
        )
        await back_up(project, run, commit)


async def _move_back(project: Project, moved_to: str, head: str | None) -> None:
    if head is None:
        await project.git.run("update-ref", "-d", "HEAD", moved_to)
    else:
        await project.git.run(*ref_move("HEAD", head, from_=moved_to))


def _restore_index(project: Project, saved: Path, snapshot: Snapshot) -> None:
    index = project.git_dir / "index"
    if not snapshot.dirty:
        return
    if saved.exists():
        copy_index(saved, index)
    else:
        index.unlink(missing_ok=True)


def refusal_text(refusal: GitResult) -> str:
    """Why git refused, for the user."""
    paths = [line.strip() for line in refusal.stderr.splitlines() if line.startswith("\t")]
    if paths:
        return f"files of yours are in the way, move them first: {', '.join(paths)}"
    return f"git could not fast-forward: {refusal.error_line}"


_DIFF_COMMAND = ("diff-tree", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff")
_APPLY_COMMAND = ("apply", "--binary", "--whitespace=nowarn", "-")


async def land_files(
    project: Project,
    snapshot: Snapshot,
    imported: ImportedBranch,
    run: RunId,
    free: tuple[str, ...] = (),
) -> LandingOutcome:
    """Apply the work as uncommitted changes: git checks every file before it writes the first.

    A checkout that already contains the work counts as landed, so a second call returns the same.
    """
    programs = await read_programs(project.git)
    facts = await gather_facts(project, snapshot, imported, programs, free)
    if not await differs_outside(project.git, facts.now.tree, imported.commit, free):
        return LandedCommit(imported.commit)
    match decide_landing(facts):
        case AlreadyLanded():
            return LandedCommit(imported.commit)
        case KeepOnBranch(reason, command):
            return LandingRefused(reason, command)
        case LandNow() | LandMerged():
            silent = replace(project, git=without_programs(project.git, programs))
            return await _apply_patch(silent, snapshot, imported, run)
        case unreachable:
            assert_never(unreachable)


async def _apply_patch(
    project: Project, snapshot: Snapshot, imported: ImportedBranch, run: RunId
) -> LandingOutcome:
    # The snapshot contains the current files, including uncommitted changes.
    await back_up(project, run, snapshot.commit)
    applied = await _apply(project, snapshot.commit, imported.commit)
    if applied.ok:
        return LandedCommit(imported.commit)
    return LandingRefused(refusal_text(applied), f"git merge {imported.branch}")


async def reverse_patch(project: Project, before: str, after: str) -> GitResult:
    """Take back the changes between two commits in the files; all of them, or none."""
    return await _apply(project, after, before)


async def _apply(project: Project, before: str, after: str) -> GitResult:
    patch = await project.git.run(*_DIFF_COMMAND, before, after)
    return await project.git.try_run(
        *_APPLY_COMMAND, stdin=patch.encode(errors="surrogateescape") + b"\n"
    )
