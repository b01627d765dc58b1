"""Measures how the work changed between two commits: its tree, and commits undone."""

from dataclasses import dataclass

from treadle.workspace.git import Git
from treadle.workspace.salvage import CommittedRound

# Work that was amended, rebased or polished keeps most of its lines; work thrown away does not.
_MOST_LINES_GONE = 0.5


@dataclass(frozen=True, slots=True)
class TreeChange:
    """The tree that the work ends at, and how many commits are gone with most of their content."""

    tree: str
    undone: int = 0


async def measure_change(
    git: Git, before: str, after: str, rest: CommittedRound | None = None
) -> TreeChange:
    """From the commit the last round ended at to the one this round did; asks git little while
    the history only grows, and nothing about a commit that `rest` tells all of."""
    if rest is not None and (rest.on_top_of, rest.tip) == (before, after):
        return TreeChange(rest.tree)
    # The tree, both ends, and behind a caret where they parted.
    told = await git.try_run("rev-parse", f"{after}^{{tree}}", f"{before}...{after}")
    if not told.ok:  # the older commit is gone: nothing to compare
        return TreeChange(await git.run("rev-parse", "--verify", f"{after}^{{tree}}"))
    tree, *ends = told.output.splitlines()
    return TreeChange(tree, 0 if f"^{before}" in ends else await _count_undone(git, before, after))


async def _count_undone(git: Git, before: str, after: str) -> int:
    shared = await git.try_run("merge-base", before, after)
    if not shared.ok:
        return 0  # histories without a common past, or a commit that is gone: nothing to compare
    dropped = int(await git.run("rev-list", "--count", f"{after}..{before}"))
    added, _ = await _count_lines(git, shared.output, before)
    _, removed = await _count_lines(git, before, after)
    return dropped if added and removed >= _MOST_LINES_GONE * added else 0


async def _count_lines(git: Git, older: str, newer: str) -> tuple[int, int]:
    """Lines added and removed; a binary file has none."""
    said = await git.run("diff", "--numstat", "--no-ext-diff", "--no-renames", older, newer, "--")
    counted = [line.split("\t", 2) for line in said.splitlines()]
    added = sum(int(row[0]) for row in counted if row[0].isdecimal())
    return added, sum(int(row[1]) for row in counted if row[1].isdecimal())
