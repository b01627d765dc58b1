"""Reads what `git status` and `git for-each-ref` say about a clone; nothing is asked here."""

from dataclasses import dataclass

from treadle.workspace.contents import PLAIN_INDEX, SUBMODULE, Changed, is_private

# "dirty": a submodule at another commit is named, but no git is started inside it.
STATUS = (
    *PLAIN_INDEX,
    *("status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames"),
    "--ignore-submodules=dirty",
)
REFS = ("for-each-ref", "--format=%(refname) %(objecttype) %(objectname) %(tree)")


@dataclass(frozen=True, slots=True)
class Tip:
    """The commit that a branch ends with."""

    commit: str
    tree: str


@dataclass(frozen=True, slots=True)
class Status:
    """How disk, index and HEAD differ."""

    changed: Changed  # on disk, against the index
    staged: bool = False  # in the index, against HEAD
    unmerged: bool = False


def read_status(listing: str) -> Status:
    """The output of STATUS; Treadle's own files on disk and submodules there are no change."""
    gone: list[str] = []
    present: list[str] = []
    left_out: list[str] = []
    staged = unmerged = False
    for entry in listing.split("\0")[:-1]:
        kind, _, rest = entry.partition(" ")
        match kind:
            case "1":
                # XY, submodule, modes of HEAD, index and disk, ids of HEAD and index, path
                both, _, _, mode, _, _, _, path = rest.split(" ", 7)
                staged |= both[0] != "."
                if both[1] != "." and mode != SUBMODULE and not is_private(path):
                    (gone if both[1] == "D" else present).append(path)
            case "?" if not is_private(rest):
                (left_out if rest.endswith("/") else present).append(rest)
            case "?":
                pass
            case _:
                unmerged = True
    changed = Changed(tuple(gone), tuple(present), tuple(left_out))
    return Status(changed, staged=staged, unmerged=unmerged)


def read_tip(listing: str, ref: str) -> Tip | None:
    """The commit of one ref in the output of REFS."""
    for name, *rest in _lines(listing):
        if name == ref and rest[0] == "commit":
            return Tip(rest[1], rest[2])
    return None


def names_in(listing: str) -> frozenset[str]:
    """All refs in the output of REFS."""
    return frozenset(words[0] for words in _lines(listing))


def _lines(listing: str) -> list[list[str]]:
    # Not `splitlines`: an agent may name a ref with what only Unicode takes for the end of a line.
    return [line.split(" ") for line in listing.split("\n") if line]
