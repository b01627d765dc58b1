"""Takes a landing back, if nothing was added since; the work stays on its branch.

The user's branch is never rewritten beyond the landing itself, and a backup ref comes first.
"""

import asyncio
import os
from dataclasses import dataclass, replace
from shlex import quote
from typing import Literal, TypeAlias, assert_never

from treadle.domain.ids import RunId
from treadle.workspace.backups import back_up
from treadle.workspace.checkout_landing import reverse_patch
from treadle.workspace.git import GitResult
from treadle.workspace.git_programs import GitPrograms
from treadle.workspace.landing_filters import (
    find_filtered_files,
    read_programs,
    without_programs,
)
from treadle.workspace.project import Project, operation_in_progress
from treadle.workspace.snapshot import Snapshot, read_checkout, tree_of
from treadle.workspace.undo_decision import (
    LeaveUncommitted,
    NothingLanded,
    ResetCheckout,
    ReverseFiles,
    RevertByHand,
    UndoFacts,
    decide_undo,
)


@dataclass(frozen=True, slots=True)
class LandedWork:
    """The last landing of a run, and the work that landed."""

    commit: str
    form: Literal["commits", "files"]
    work: str
    # The HEAD of the checkout that the work was joined with before it landed.
    onto: str | None = None

    @property
    def is_merged(self) -> bool:
        """Whether it landed as a merge with what the user had done since the run started."""
        return self.commit != self.work


@dataclass(frozen=True, slots=True)
class CheckoutRestored:
    """The checkout is as before the landing, at this commit; `backup` keeps where it was."""

    head: str
    backup: str


@dataclass(frozen=True, slots=True)
class UndoRefused:
    """The checkout is unchanged: the reason, and the command that takes the work back."""

    reason: str
    command: str


@dataclass(frozen=True, slots=True)
class NotLanded:
    """The checkout does not contain the work."""


UndoOutcome: TypeAlias = CheckoutRestored | UndoRefused | NotLanded


async def undo_landing(
    project: Project, snapshot: Snapshot, landed: LandedWork, run: RunId
) -> UndoOutcome:
    """Move the checkout back, or leave it alone; after an interruption a second call goes on."""
    if await project.git.commit_of(landed.commit) is None:
        return NotLanded()
    snapshot = await _checkout_before(project, snapshot, landed)
    programs = await read_programs(project.git)
    facts = await gather_undo_facts(project, snapshot, landed, programs)
    silent = replace(project, git=without_programs(project.git, programs))
    match decide_undo(facts):
        case NothingLanded():
            return NotLanded()
        case RevertByHand(reason):
            return UndoRefused(reason, await _revert_command(project, snapshot, landed))
        case ResetCheckout() | LeaveUncommitted() | ReverseFiles() as move:
            backup = await back_up(project, run, landed.commit)
            failed = await _move(silent, snapshot, landed, move)
            if failed is None:
                return CheckoutRestored(snapshot.head or snapshot.commit, backup)
            command = await _revert_command(project, snapshot, landed)
            return UndoRefused(f"git could not go back: {failed.error_line}", command)
        case unreachable:
            assert_never(unreachable)


async def _checkout_before(project: Project, snapshot: Snapshot, landed: LandedWork) -> Snapshot:
    """What the work landed on: the snapshot, or what landing made of it and of commits that the
    user had made since."""
    if not landed.is_merged:
        return snapshot
    git = project.git
    start = await git.run("rev-parse", f"{landed.commit}^1")
    head = landed.onto
    if head is None:
        head = await git.run("rev-parse", f"{start}^1") if snapshot.dirty else start
    return Snapshot(head, snapshot.branch, start, await tree_of(git, start), dirty=head != start)


async def _move(
    project: Project,
    snapshot: Snapshot,
    landed: LandedWork,
    move: ResetCheckout | LeaveUncommitted | ReverseFiles,
) -> GitResult | None:
    """Git's result if it refused. What the user had not committed becomes uncommitted again by
    a second step, which moves HEAD and index and leaves the files."""
    result: GitResult | None = None
    if isinstance(move, ReverseFiles):
        result = await reverse_patch(project, snapshot.commit, landed.commit)
    elif isinstance(move, ResetCheckout):
        result = await project.git.try_run("reset", "--quiet", "--keep", snapshot.commit)
    if result is not None and not result.ok:
        return result
    if snapshot.dirty and snapshot.head is not None and not isinstance(move, ReverseFiles):
        await project.git.run("reset", "--quiet", "--mixed", snapshot.head)
    return None


async def gather_undo_facts(
    project: Project, snapshot: Snapshot, landed: LandedWork, programs: GitPrograms
) -> UndoFacts:
    """Read the current facts for the decision."""
    git, now = project.git, await read_checkout(project)
    staged = await git.try_run("diff-index", "--cached", "--quiet", "HEAD", "--")
    return UndoFacts(
        form=landed.form,
        before=snapshot.checkout,
        now=now,
        snapshot=snapshot.commit,
        snapshot_tree=snapshot.tree,
        landed=landed.commit,
        landed_tree=await tree_of(git, landed.commit),
        landed_in_head=now.head is not None and await git.is_ancestor(landed.commit, now.head),
        staged=staged.exit_code == 1,
        operation=operation_in_progress(project.git_dir),
        in_the_way=await _present_again(project, snapshot.commit, landed.commit),
        filtered=await find_filtered_files(git, programs, landed.commit, snapshot.commit),
    )


async def _present_again(project: Project, before: str, after: str) -> tuple[str, ...]:
    """Files that the work deleted, and that are on disk again."""
    listing = await project.git.run(
        *("diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=D"),
        *(before, after),
    )
    names = [name for name in listing.split("\0") if name]
    return await asyncio.to_thread(
        lambda: tuple(name for name in names if os.path.lexists(project.root / name))
    )


async def _revert_command(project: Project, snapshot: Snapshot, landed: LandedWork) -> str:
    """One line for a shell that takes the work back by a new commit, or out of the files."""
    git, place = project.git, f"git -C {quote(str(project.root))}"
    start, end = snapshot.commit[:12], landed.commit[:12]
    if landed.is_merged and landed.form == "commits":
        return f"{place} revert --no-edit -m 1 {end}"
    merges = await git.run("rev-list", "--count", "--merges", f"{start}..{end}")
    if landed.form == "commits" and merges == "0":
        return f"{place} revert --no-edit {start}..{end}"
    # `git revert` cannot take back a merge without being told of which side.
    return f"{place} diff --binary {end} {start} | {place} apply --3way"
