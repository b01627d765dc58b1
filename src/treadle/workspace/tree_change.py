"""Measures how the work changed between two commits: its tree, and its undone commits."""

from dataclasses import dataclass

from treadle.workspace.git import Git
from treadle.workspace.salvage import CommittedRound

# Amended or rebased work keeps most of its lines; discarded work does not.
_MOST_LINES_GONE = 0.5


@dataclass(frozen=True, slots=True)
class TreeChange:
    """The tree after the change, and the number of commits dropped with most of their content."""

    tree: str
    undone: int = 0


async def measure_change(
    git: Git, before: str, after: str, committed: CommittedRound | None = None
) -> TreeChange:
    """Compare the last commits of two rounds.

    A fast-forward takes one git command, and a single commit that `committed` describes takes none.
    """
    if committed is not None and (committed.on_top_of, committed.tip) == (before, after):
        return TreeChange(committed.tree)
    # Prints the tree, both commits, and the merge base after a caret.
    revisions = await git.try_run("rev-parse", f"{after}^{{tree}}", f"{before}...{after}")
    if not revisions.ok:  # the older commit is gone, so there is nothing to compare
        return TreeChange(await git.run("rev-parse", "--verify", f"{after}^{{tree}}"))
    tree, *commits = revisions.output.splitlines()
    return TreeChange(
        tree, 0 if f"^{before}" in commits else await _count_undone(git, before, after)
    )


async def _count_undone(git: Git, before: str, after: str) -> int:
    merge_base = await git.try_run("merge-base", before, after)
    if not merge_base.ok:
        return 0  # unrelated histories or a missing commit: nothing to compare
    dropped = int(await git.run("rev-list", "--count", f"{after}..{before}"))
    added, _ = await _count_lines(git, merge_base.output, before)
    _, removed = await _count_lines(git, before, after)
    return dropped if added and removed >= _MOST_LINES_GONE * added else 0


async def _count_lines(git: Git, older: str, newer: str) -> tuple[int, int]:
    """Lines added and removed; a binary file has none."""
    listing = await git.run(
        "diff", "--numstat", "--no-ext-diff", "--no-renames", older, newer, "--"
    )
    rows = [line.split("\t", 2) for line in listing.splitlines()]
    added = sum(int(row[0]) for row in rows if row[0].isdecimal())
    return added, sum(int(row[1]) for row in rows if row[1].isdecimal())
