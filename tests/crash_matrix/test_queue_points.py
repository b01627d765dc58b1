"""Killed again and again between its sessions, a watch does each of its items once. `make
crash-matrix` tries each point alone."""

import pytest

from tests.crash_matrix.queues import POINTS, failures_after
from tests.crash_matrix.spots import Call, find_function

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def test_each_item_is_done_once() -> None:
    assert failures_after(POINTS) == ()


def test_the_places_of_the_points_exist() -> None:
    for point in POINTS:
        assert isinstance(point.spot, Call)
        assert find_function(point.spot.function)
