"""What an agent left is put on the run's branch, unless that could drop or garble commits."""

import pytest

from treadle.workspace.leftovers import (
    Advance,
    Found,
    Join,
    Placement,
    SetAside,
    Stay,
    decide_placement,
)


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
