"""What an agent left is put on the run's branch, unless that could drop or garble commits."""

import pytest

from treadle.workspace.contents import Changed
from treadle.workspace.leftovers import (
    Advance,
    Clean,
    Course,
    Found,
    Join,
    Placement,
    Seen,
    SetAside,
    Stay,
    Uncommitted,
    Unusual,
    decide_course,
    decide_placement,
)
from treadle.workspace.status import Status, Tip

TIP = Tip("commit", "tree")
NOTHING = Changed((), (), ())
NESTED = Changed((), (), ("nested/",))
NEW = Changed((), ("new",), ("nested/",))
GONE = Changed(("old",), (), ())


def seen(
    changed: Changed = NOTHING,
    *,
    on_branch: bool = True,
    unfinished: bool = False,
    staged: bool = False,
    unmerged: bool = False,
) -> Seen:
    return Seen(on_branch, unfinished, TIP, Status(changed, staged=staged, unmerged=unmerged))


@pytest.mark.parametrize(
    ("facts", "course"),
    [
        (seen(), Clean(TIP)),
        (seen(NESTED), Clean(TIP, ("nested/",))),
        (seen(NEW), Uncommitted(TIP, NEW)),
        (seen(GONE), Uncommitted(TIP, GONE)),
        (seen(staged=True), Uncommitted(TIP, NOTHING, staged=True)),
        (seen(on_branch=False), Unusual()),
        (seen(NEW, on_branch=False), Unusual()),
        (seen(unfinished=True), Unusual()),
        (seen(NEW, unfinished=True), Unusual()),
        (seen(unmerged=True), Unusual()),
        (Seen(on_branch=True, unfinished=False, tip=None, status=Status(NOTHING)), Unusual()),
        (Seen(on_branch=True, unfinished=False, tip=TIP, status=None), Unusual()),
    ],
)
def test_course(facts: Seen, course: Course) -> None:
    assert decide_course(facts) == course


@pytest.mark.parametrize(
    ("found", "placement"),
    [
        (Found(tip_in_left=True, left_in_tip=True), Advance()),
        (Found(tip_in_left=True, left_in_tip=False), Advance()),
        (Found(tip_in_left=True, left_in_tip=False, rebasing=True), Advance()),
        (Found(tip_in_left=False, left_in_tip=True), Stay()),
        (Found(tip_in_left=False, left_in_tip=True, rebasing=True), Stay()),
        (Found(tip_in_left=False, left_in_tip=False), Join()),
        (Found(tip_in_left=False, left_in_tip=False, rebasing=True), SetAside()),
    ],
)
def test_placement(found: Found, placement: Placement) -> None:
    assert decide_placement(found) == placement
