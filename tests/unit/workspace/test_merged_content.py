"""Patches are the same wherever they are applied; content counts only if all of it is there."""

from dataclasses import replace

import pytest

from treadle.workspace.merged_content import (
    BranchContent,
    WorkContent,
    fingerprint,
    is_content_in,
    read_fingerprints,
)

PATCH = """diff --git a/one b/one
index 1111111..2222222 100644
--- a/one
+++ b/one
@@ -1,3 +1,3 @@ def one():
 before
-old
+new"""
WORK = WorkContent("tree", "start", frozenset({"whole"}), frozenset({"first", "second"}))


def branch(*patches: str, tree: str = "other") -> BranchContent:
    return BranchContent(frozenset({"others", tree}), frozenset({"more", *patches}))


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("@@ -1,3 +1,3 @@ def one():", "@@ -41,3 +45,3 @@", True),
        ("index 1111111..2222222", "index 3333333..4444444", True),
        ("+new", "+ new", False),
        (" before", " between", False),
        ("b/one", "b/two", False),
        ("index 1111111..2222222 100644", "old mode 100644\nnew mode 100755", False),
    ],
)
def test_a_patch_is_the_same_at_another_place(old: str, new: str, same: bool) -> None:
    assert (fingerprint(PATCH) == fingerprint(PATCH.replace(old, new))) is same


def test_a_listing_has_a_fingerprint_for_each_patch() -> None:
    other = PATCH.replace("+new", "+newer")

    assert read_fingerprints(f"\0\n{PATCH}\n\0\n{other}\n\0\n") == {
        fingerprint(PATCH),
        fingerprint(other),
    }


@pytest.mark.parametrize(
    ("work", "content", "found"),
    [
        (WORK, branch(), False),
        (WORK, branch(tree="tree"), True),
        (WORK, branch("whole"), True),
        (WORK, branch("first", "second"), True),
        (WORK, branch("first"), False),
        # What a merge resolves is in no single patch.
        (replace(WORK, has_merges=True), branch("first", "second"), False),
        (replace(WORK, has_merges=True), branch("whole"), True),
        (replace(WORK, whole=frozenset(), single=frozenset()), branch(), False),
        # The work takes itself back.
        (replace(WORK, tree="start"), branch("whole", tree="start"), False),
    ],
)
def test_a_branch_has_the_content_only_if_it_has_all_of_it(
    work: WorkContent, content: BranchContent, found: bool
) -> None:
    assert is_content_in(work, content) is found
