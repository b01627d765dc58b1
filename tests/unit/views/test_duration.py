"""Lengths of time are written in hours, minutes and seconds, and moments as seen from now."""

from datetime import UTC, datetime, timedelta

import pytest

from treadle.views.duration import ago, clock_time, duration

NOON = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (3661, "1h 1m 1s"),
        (3600, "1h"),
        (3601, "1h 1s"),
        (90, "1m 30s"),
        (60, "1m"),
        (5, "5s"),
        (0.9, "0s"),
        (0, "0s"),
        (-3, "0s"),  # a clock that was set back
        (360_000, "100h"),
    ],
)
def test_a_duration_leaves_out_what_is_zero(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0s ago"), (59, "59s ago"), (61, "1m ago"), (7300, "2h ago"), (200_000, "2d ago")],
)
def test_the_past_is_shown_in_its_largest_unit(seconds: int, words: str) -> None:
    assert ago(NOON - timedelta(seconds=seconds), NOON) == words


@pytest.mark.parametrize(
    ("hours", "words"), [(5, "17:00"), (13, "01:00 tomorrow"), (40, "Mar 06, 04:00")]
)
def test_a_moment_has_a_date_unless_it_is_today(hours: int, words: str) -> None:
    assert clock_time(NOON + timedelta(hours=hours), now=NOON, zone=UTC) == words
