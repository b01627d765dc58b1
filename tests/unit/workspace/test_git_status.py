"""The status of a clone becomes changed paths, staged work, or a reason for a salvage."""

import pytest

from treadle.workspace.disk_tree import ChangedPaths
from treadle.workspace.git_status import BranchTip, CloneStatus, read_status, read_tip, ref_names

NOTHING = ChangedPaths((), (), ())
IDS = "1111 2222"


def entry(both: str, path: str, modes: str = "100644 100644 100644") -> str:
    return f"1 {both} N... {modes} {IDS} {path}\0"


@pytest.mark.parametrize(
    ("listing", "status"),
    [
        ("", CloneStatus(NOTHING)),
        (entry(".M", "a b\nc"), CloneStatus(ChangedPaths((), ("a b\nc",), ()))),
        (entry(".T", "link"), CloneStatus(ChangedPaths((), ("link",), ()))),
        (entry(".D", "old"), CloneStatus(ChangedPaths(("old",), (), ()))),
        (
            entry(".A", "meant", "000000 000000 100644"),
            CloneStatus(ChangedPaths((), ("meant",), ())),
        ),
        (entry("M.", "staged"), CloneStatus(NOTHING, staged=True)),
        (entry("AM", "both"), CloneStatus(ChangedPaths((), ("both",), ()), staged=True)),
        (entry("D.", "a") + "? a\0", CloneStatus(ChangedPaths((), ("a",), ()), staged=True)),
        ("? new\0? nested/\0", CloneStatus(ChangedPaths((), ("new",), ("nested/",)))),
        ("? .treadle/new\0? .treadle-notes.md\0", CloneStatus(NOTHING)),
        (entry(".M", ".treadle/kept"), CloneStatus(NOTHING)),
        (entry("M.", ".treadle/kept"), CloneStatus(NOTHING, staged=True)),
        (entry(".M", "module", "160000 160000 160000"), CloneStatus(NOTHING)),
        (entry(".D", "module", "160000 160000 000000"), CloneStatus(NOTHING)),
        (entry("A.", "module", "000000 160000 160000"), CloneStatus(NOTHING, staged=True)),
        ("u UU N... 1 2 3 4 5 6 7 8 9 clash\0", CloneStatus(NOTHING, unmerged=True)),
        ("3 of a kind that is not known\0", CloneStatus(NOTHING, unmerged=True)),
    ],
)
def test_a_status(listing: str, status: CloneStatus) -> None:
    assert read_status(listing) == status


REFS = "refs/heads/run commit 11 22\nrefs/heads/run/more commit 33 44\nrefs/stash commit 55 66"


@pytest.mark.parametrize(
    ("listing", "tip"),
    [
        (REFS, BranchTip("11", "22")),
        ("", None),
        ("refs/heads/run/more commit 33 44", None),
        ("refs/heads/run blob 11 ", None),
        (f"refs/stash/\u2028odd commit 55 66\n{REFS}", BranchTip("11", "22")),
    ],
)
def test_the_tip_of_a_branch_is_a_commit_under_its_exact_name(
    listing: str, tip: BranchTip | None
) -> None:
    assert read_tip(listing, "refs/heads/run") == tip


def test_all_refs_are_named() -> None:
    assert ref_names(REFS) == {"refs/heads/run", "refs/heads/run/more", "refs/stash"}
