"""Killed again and again on its way from words to a merged pull request, a task sends nothing twice
and loses nothing. `make crash-matrix` tries each point alone."""

from collections.abc import Sequence

import pytest

from tests.crash_matrix.following import (
    POINTS,
    REPLIED,
    Approval,
    FollowingPoint,
    failures_after,
    named,
)
from tests.crash_matrix.spots import Call, find_function

pytestmark = pytest.mark.timeout(600)


@pytest.mark.parametrize(
    ("approval", "points"),
    [("person", POINTS), ("timer", [each for each in POINTS if each != REPLIED])],
    ids=["approved by a person", "approved by the timer"],
)
def test_nothing_is_sent_twice(approval: Approval, points: Sequence[FollowingPoint]) -> None:
    assert failures_after(points, approval=approval) == ()


def test_the_places_of_the_points_exist() -> None:
    spot = named("answer to a comment pushed, not told").spot

    assert isinstance(spot, Call)
    assert find_function(spot.function)
