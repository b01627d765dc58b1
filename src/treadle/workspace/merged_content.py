"""Decides whether a branch has the content of some work under other commits: squashed, rebased or
cherry-picked. Pure; any doubt is a no."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

# What precedes the patch of each commit in a listing.
SEPARATOR = "\0"
_HUNK = re.compile(r"@@ -\S+ \+\S+ @@")


@dataclass(frozen=True, slots=True)
class WorkContent:
    """The content of a run's work: the tree of its last commit and of its start, its changes as one
    patch, and one by one. The patches are fingerprints; `has_merges` says that the single ones do
    not describe all of it."""

    tree: str
    start_tree: str
    whole: frozenset[str] = frozenset()
    single: frozenset[str] = frozenset()
    has_merges: bool = False


@dataclass(frozen=True, slots=True)
class BranchContent:
    """The trees and patches of the commits that a branch has since the work began."""

    trees: frozenset[str]
    patches: frozenset[str]


def is_content_in(work: WorkContent, branch: BranchContent) -> bool:
    """Whether the branch has had exactly this tree, or all of these changes."""
    if work.tree == work.start_tree:
        # Its commits cancel each other out, so that no content shows that somebody took them.
        return False
    if work.tree in branch.trees or work.whole & branch.patches:
        return True
    return bool(work.single) and not work.has_merges and work.single <= branch.patches


def read_fingerprints(listing: str) -> frozenset[str]:
    """The fingerprints of the patches in a listing, of which each follows a separator."""
    patches = (part.strip("\n") for part in listing.split(SEPARATOR))
    return frozenset(fingerprint(patch) for patch in patches if patch)


def fingerprint(patch: str) -> str:
    """The hash of a patch without what depends on its place: line numbers and object names.

    Unlike `git patch-id` it counts white space, modes and the content of binary files.
    """
    text = "\n".join(_lines(patch))
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()


def _lines(patch: str) -> Iterator[str]:
    for line in patch.split("\n"):
        if line.startswith("index "):
            continue
        # Git writes a heading of its own behind the second `@@`.
        yield "@@" if _HUNK.match(line) else line
