"""Parses the output of `git status` and `git for-each-ref`. Pure."""

from dataclasses import dataclass

from treadle.workspace.disk_tree import PLAIN_INDEX, SUBMODULE_MODE, ChangedPaths, is_private

# "dirty" reports a submodule at another commit without starting git inside it.
STATUS_COMMAND = (
    *PLAIN_INDEX,
    *("status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames"),
    "--ignore-submodules=dirty",
)
REFS_COMMAND = ("for-each-ref", "--format=%(refname) %(objecttype) %(objectname) %(tree)")


@dataclass(frozen=True, slots=True)
class BranchTip:
    """The last commit of a branch."""

    commit: str
    tree: str


@dataclass(frozen=True, slots=True)
class CloneStatus:
    """How disk, index and HEAD differ."""

    changed: ChangedPaths  # disk against index
    staged: bool = False  # index against HEAD
    unmerged: bool = False


def read_status(listing: str) -> CloneStatus:
    """Parse the output of STATUS_COMMAND, without Treadle's own files and submodules on disk."""
    removed: list[str] = []
    present: list[str] = []
    left_out: list[str] = []
    staged = unmerged = False
    for entry in listing.split("\0")[:-1]:
        kind, _, rest = entry.partition(" ")
        match kind:
            case "1":
                # XY, submodule, modes of HEAD, index and disk, ids of HEAD and index, path
                codes, _, _, mode, _, _, _, path = rest.split(" ", 7)
                staged |= codes[0] != "."
                if codes[1] != "." and mode != SUBMODULE_MODE and not is_private(path):
                    (removed if codes[1] == "D" else present).append(path)
            case "?" if not is_private(rest):
                (left_out if rest.endswith("/") else present).append(rest)
            case "?":
                pass
            case _:
                unmerged = True
    changed = ChangedPaths(tuple(removed), tuple(present), tuple(left_out))
    return CloneStatus(changed, staged=staged, unmerged=unmerged)


def read_tip(listing: str, ref: str) -> BranchTip | None:
    """The commit of one ref in the output of REFS_COMMAND."""
    for name, *rest in _lines(listing):
        if name == ref and rest[0] == "commit":
            return BranchTip(rest[1], rest[2])
    return None


def ref_names(listing: str) -> frozenset[str]:
    """All refs in the output of REFS_COMMAND."""
    return frozenset(words[0] for words in _lines(listing))


def _lines(listing: str) -> list[list[str]]:
    # Not `splitlines`: an agent may name a ref with a line separator of Unicode.
    return [line.split(" ") for line in listing.split("\n") if line]
