"""Finds out whether a run's work is in another branch or on a remote, by what is known here: remote
branches are as the last fetch or push left them. Deletes the branch of merged work."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from treadle.domain.ids import RunId
from treadle.workspace.git import Git, GitFailed
from treadle.workspace.merged_content import (
    BranchContent,
    WorkContent,
    fingerprint,
    is_content_in,
    read_fingerprints,
)
from treadle.workspace.output_pieces import OutputPieces, read_pieces
from treadle.workspace.project import Project
from treadle.workspace.snapshot import snapshot_ref, tree_of
from treadle.workspace.work_backup import delete_refs, is_checked_out

# Where a search ends: the branches with the newest commits, and the newest commits of each.
MOST_BRANCHES = 20
MOST_COMMITS = 500
MOST_PATHS = 1_000
# Of all patches that are compared at once, in bytes.
MOST_BYTES = 64 << 20
OWN_BRANCHES = "refs/heads/treadle/"
_PATCH = ("-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv")

MergePlace = Literal["merged", "pushed", "squashed"]


@dataclass(frozen=True, slots=True)
class WorkRange:
    """The last commit of the work, and the commits that it may have begun with: the snapshot, and
    the user's commit below it."""

    tip: str
    starts: tuple[str, ...]


async def find_merge(
    project: Project, work: WorkRange, *, most_bytes: int = MOST_BYTES
) -> MergePlace | None:
    """Where the work is besides its branch; None if that cannot be shown.

    Another branch contains it, a remote branch does, or one of them has the same content. Branches
    of runs do not count: they may be dropped themselves.
    """
    git = project.git
    containing = await _branches(git, "--contains", work.tip)
    if any(name.startswith("refs/heads/") for name in containing):
        return "merged"
    if containing:
        return "pushed"
    return "squashed" if await _is_squashed(PatchReader(git, most_bytes), work) else None


async def delete_merged_branch(project: Project, run: RunId, branch: str) -> None:
    """Delete a run's branch and its snapshot ref, if another branch contains the branch and no
    checkout is on it."""
    git, ref = project.git, f"refs/heads/{branch}"
    tip = await git.commit_of(ref)
    is_own = ref.startswith(OWN_BRANCHES)
    if tip is None or not is_own or not await _branches(git, "--contains", tip):
        return
    if not await is_checked_out(project, branch):
        await delete_refs(project, {ref: tip})
    snapshot = await git.commit_of(snapshot_ref(run))
    if snapshot is not None and await git.is_ancestor(snapshot, tip):
        await delete_refs(project, {snapshot_ref(run): snapshot})


async def _branches(git: Git, *options: str) -> dict[str, str]:
    """The branches of people and remotes with their commits, the newest first."""
    listing = await git.try_run(
        "for-each-ref",
        "--sort=-committerdate",
        "--format=%(objectname) %(refname)",
        *options,
        *("refs/heads", "refs/remotes"),
    )
    lines = (line.partition(" ") for line in listing.output.splitlines() if listing.ok)
    return {name: commit for commit, _, name in lines if not name.startswith(OWN_BRANCHES)}


@dataclass(frozen=True, slots=True)
class PatchReader:
    """Reads patches as fingerprints; GitFailed if they are too large to compare."""

    git: Git
    most_bytes: int

    async def whole(self, start: str, tip: str) -> frozenset[str]:
        """The fingerprint of all changes together."""
        listing = await read_pieces(self.git, self._read, ("diff-tree", *_PATCH, start, tip))
        return frozenset({fingerprint(listing.strip("\n"))})

    async def single(self, commits: str, paths: Sequence[str]) -> frozenset[str]:
        """The fingerprints of what single commits change in these paths."""
        literal = self.git.with_variables(GIT_LITERAL_PATHSPECS="1")
        listing = await read_pieces(
            literal,
            self._read,
            ("rev-list", f"-{MOST_COMMITS}", "--no-merges", commits, "--", *paths),
            ("diff-tree", "--stdin", "--root", "-r", *_PATCH, "--format=%x00", "--", *paths),
        )
        return read_fingerprints(listing)

    def _read(self, pieces: OutputPieces) -> str:
        listing = bytearray()
        while piece := pieces.next_piece():
            listing += piece
            if len(listing) > self.most_bytes:
                raise GitFailed("the changes are too large to compare")
        return os.fsdecode(bytes(listing))


async def _is_squashed(patches: PatchReader, work: WorkRange) -> bool:
    git = patches.git
    tips = dict.fromkeys((await _branches(git)).values())
    try:
        for start in dict.fromkeys(work.starts):
            paths = await _changed_paths(git, start, work.tip)
            if not paths or len(paths) > MOST_PATHS:
                continue
            content = await _work_content(patches, start, work.tip, paths)
            for tip in list(tips)[:MOST_BRANCHES]:
                if is_content_in(content, await _branch_content(patches, start, tip, paths)):
                    return True
    except GitFailed:
        return False  # a start that is gone shows nothing, nor does what is too large
    return False


async def _changed_paths(git: Git, start: str, tip: str) -> list[str]:
    names = await git.run("diff-tree", "-r", "-z", "--no-renames", "--name-only", start, tip)
    return [name for name in names.split("\0") if name]


async def _work_content(
    patches: PatchReader, start: str, tip: str, paths: list[str]
) -> WorkContent:
    git = patches.git
    merges = await git.run("rev-list", "--count", "--merges", f"{start}..{tip}")
    return WorkContent(
        tree=await tree_of(git, tip),
        start_tree=await tree_of(git, start),
        whole=await patches.whole(start, tip),
        single=await patches.single(f"{start}..{tip}", paths),
        has_merges=merges != "0",
    )


async def _branch_content(
    patches: PatchReader, start: str, tip: str, paths: list[str]
) -> BranchContent:
    newer = f"{start}..{tip}"
    trees = await patches.git.run(
        "log", f"-{MOST_COMMITS}", "--no-show-signature", "--format=%T", newer
    )
    return BranchContent(frozenset(trees.split()), await patches.single(newer, paths))
