"""A reached quota is read from the provider's own sentences, and from nothing like them."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import FAULTS
from treadle.session.quota_messages import QuotaMessage, find_quota, wait_until

SUNDAY_8AM = datetime(2026, 11, 15, 8, 0, tzinfo=UTC)


def utc(
    year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0
) -> datetime:
    return datetime(year, month, day, hour, minute, second, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "resets_at"),
    [
        ("You've hit your limit · resets 6pm (UTC)", utc(2026, 11, 15, 18)),
        ("You’ve hit your limit · resets 6pm (UTC)", utc(2026, 11, 15, 18)),
        ("  You've hit your limit ∙ resets 6pm (UTC)\n", utc(2026, 11, 15, 18)),
        ("You've hit your 5-hour limit · resets 8:59am (UTC)", utc(2026, 11, 15, 8, 59)),
        ("You've hit your 5-hour limit · resets 7am (UTC)", utc(2026, 11, 16, 7)),
        ("You've hit your limit · resets 12am (UTC)", utc(2026, 11, 16)),
        ("You've hit your limit · resets 12:30pm (UTC)", utc(2026, 11, 15, 12, 30)),
        ("You've hit your limit · resets 3 PM (UTC)", utc(2026, 11, 15, 15)),
        ("You've hit your limit · resets 3 p.m. (UTC)", utc(2026, 11, 15, 15)),
        ("You've hit your limit · resets 15:00 (UTC)", utc(2026, 11, 15, 15)),
        ("You've hit your limit · resets at 15:00 UTC", utc(2026, 11, 15, 15)),
        ("You've hit your limit · resets today at 15:00 UTC", utc(2026, 11, 15, 15)),
        ("You've hit your limit · resets tomorrow at 3pm (UTC)", utc(2026, 11, 16, 15)),
        (
            "You've hit your session limit · resets 10:20pm (America/Edmonton)",
            utc(2026, 11, 15, 5, 20) + timedelta(days=1),
        ),
        ("You've hit your session limit · resets 8pm (Asia/Tokyo)", utc(2026, 11, 15, 11)),
        ("You've hit your session limit · resets 8pm (UTC+9)", utc(2026, 11, 15, 11)),
        ("You've hit your session limit · resets 8pm (-03:30)", utc(2026, 11, 15, 23, 30)),
        (
            "You've hit your weekly limit · resets Nov 20, 3pm (Europe/Berlin) · progress saved",
            utc(2026, 11, 20, 14),
        ),
        ("You've hit your weekly limit · resets November 20 at 3pm (UTC)", utc(2026, 11, 20, 15)),
        ("You've hit your weekly limit · resets Jan 2, 3pm (UTC)", utc(2027, 1, 2, 15)),
        (
            "You've hit your weekly limit · resets Jan 2, 2027, 3:30pm (UTC)",
            utc(2027, 1, 2, 15, 30),
        ),
        ("You've hit your weekly limit · resets Nov 20 (UTC)", utc(2026, 11, 20)),
        ("You've hit your weekly limit · resets Nov 14, 3pm (UTC)", utc(2026, 11, 14, 15)),  # stale
        ("You've hit your Opus limit · resets 2026-11-20T15:00Z", utc(2026, 11, 20, 15)),
        ("You've hit your Opus limit · resets Mon 9am (UTC)", utc(2026, 11, 16, 9)),
        ("You've hit your Opus limit · resets Sunday at 9am (UTC)", utc(2026, 11, 15, 9)),
        ("You've hit your Opus limit · resets Sunday at 7am (UTC)", utc(2026, 11, 22, 7)),
        ("You've hit your fast limit · resets in 2h 5m", utc(2026, 11, 15, 10, 5)),
        (
            "You've hit your limit · resets in 1 day, 2 hours and 5 minutes",
            utc(2026, 11, 16, 10, 5),
        ),
        ("Claude AI usage limit reached|1794729553", utc(2026, 11, 15, 7, 59, 13)),
        ("Claude AI usage limit reached|1794729553000", utc(2026, 11, 15, 7, 59, 13)),
        (
            "Claude usage limit reached. Your limit will reset at 7pm (America/New_York).",
            utc(2026, 11, 16),
        ),
        ("5-hour limit reached ∙ resets 3pm (UTC)", utc(2026, 11, 15, 15)),
        ("Weekly limit reached ∙ resets Nov 20 at 9am (UTC)", utc(2026, 11, 20, 9)),
        ("API Error: 429 usage limit reached, try again at 9am (UTC)", utc(2026, 11, 15, 9)),
        (
            "You've hit your monthly spend limit · your weekly limit resets Nov 20, 9am (UTC)",
            utc(2026, 11, 20, 9),
        ),
    ],
)
def test_a_reached_quota_tells_when_it_resets(text: str, resets_at: datetime) -> None:
    assert find_quota(text, SUNDAY_8AM, FAULTS) == QuotaMessage(resets_at)


@pytest.mark.parametrize(
    "text",
    [
        "You've hit your limit",
        "You've hit your session limit.",
        "You've reached your usage limit",
        "You've hit your org's monthly usage limit",
        "You've hit your channel's monthly spend limit. Switch to another model to continue.",
        "You've hit your team's shared budget. /model to switch models.",
        "Your organization has reached its monthly usage limit",
        "Your organization's usage limit has been reached",
        "usage limit reached",
        "Spending cap reached",
        "You've hit your limit · resets 6pm",  # no zone: it could be anyone's six o'clock
        "You've hit your limit · resets 6pm (Nowhere/Land)",
        "You've hit your limit · resets 6pm (America)",  # a folder of zones
        "You've hit your limit · resets 6pm (../../etc/passwd)",
        "You've hit your limit · resets 6pm (UTC+99)",
        "You've hit your limit · resets 25:00 (UTC)",
        "You've hit your limit · resets 13pm (UTC)",
        "You've hit your limit · resets Feb 30, 3pm (UTC)",
        "You've hit your limit · resets 2026-13-40 15:00 (UTC)",
        "You've hit your limit · resets soon",
        "You've hit your limit · resets (UTC)",
        "You've hit your limit · resets in 3 months",
    ],
)
def test_a_quota_without_a_readable_time_is_still_a_quota(text: str) -> None:
    assert find_quota(text, SUNDAY_8AM, FAULTS) == QuotaMessage(None)


@pytest.mark.parametrize(
    "text",
    [
        "Your org is out of usage · contact your admin",
        "Your usage allocation has been disabled by your admin",
        "Your group's usage limit is set to $0",
        "Your seat type doesn't include extra usage",
        "Extra usage is disabled for your organization",
        "You're out of extra usage",
        "You’re out of usage credits. See Usage in Settings",
        "Opus 5.5 requires usage credits. Switch to another model to continue.",
        "This service is disabled for your org",
    ],
)
def test_usage_that_somebody_must_buy_or_allow_does_not_reset(text: str) -> None:
    assert find_quota(text, SUNDAY_8AM, FAULTS) == QuotaMessage(None, lasts=True)


def test_extra_usage_with_a_reset_is_waited_for() -> None:
    text = "You're out of extra usage · resets 6pm (UTC)"

    assert find_quota(text, SUNDAY_8AM, FAULTS) == QuotaMessage(
        SUNDAY_8AM.replace(hour=18, minute=0)
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "All done.",
        "Implement a rate limit of 5 requests per minute.",
        "The limit is reached after 5 requests.",
        "You've hit your limit of 5 requests per minute, so the endpoint answers 429.",
        "The message is: You've hit your limit · resets 6pm (UTC)",
        "> You've hit your limit · resets 6pm (UTC)",
        "You've hit your limit · resets 6pm (UTC)\n\n" + "I added that text to the parser. " * 20,
        "You've used 90% of your weekly limit · resets 6pm (UTC)",
        "You're now using extra usage · Your weekly limit resets 6pm (UTC)",
        "Approaching weekly limit · resets 6pm (UTC)",
        "API Error: 429 rate_limit_error",
        "Request rejected (429)",
        "Credit balance is too low",
        "limit reached",
        "Recursion limit reached",
        "Your organization limit",
    ],
)
def test_talk_about_limits_is_no_quota(text: str) -> None:
    assert find_quota(text, SUNDAY_8AM, FAULTS) is None


@pytest.mark.parametrize(
    ("now", "resets_at"),
    [
        (utc(2026, 11, 15, 17, 59, 59), utc(2026, 11, 15, 18)),
        (utc(2026, 11, 15, 18, 0, 30), utc(2026, 11, 15, 18)),  # rounded down by the message
        (utc(2026, 11, 15, 18, 4), utc(2026, 11, 15, 18)),
        (utc(2026, 11, 15, 18, 5), utc(2026, 11, 16, 18)),
    ],
)
def test_a_time_of_day_that_is_over_means_tomorrow(now: datetime, resets_at: datetime) -> None:
    assert find_quota("You've hit your limit · resets 6pm (UTC)", now, FAULTS) == QuotaMessage(
        resets_at
    )


@pytest.mark.parametrize(
    ("text", "now", "resets_at"),
    [
        # Berlin leaves summer time on 2026-10-25 at 03:00, and enters it on 2026-03-29 at 02:00.
        ("6am (Europe/Berlin)", utc(2026, 10, 24, 20), utc(2026, 10, 25, 5)),
        ("6am (Europe/Berlin)", utc(2026, 3, 28, 20), utc(2026, 3, 29, 4)),
        ("2:30am (Europe/Berlin)", utc(2026, 10, 24, 20), utc(2026, 10, 25, 0, 30)),
        ("2:30am (Europe/Berlin)", utc(2026, 10, 25, 1), utc(2026, 10, 25, 1, 30)),  # the second
        ("2:30am (Europe/Berlin)", utc(2026, 3, 28, 20), utc(2026, 3, 29, 1, 30)),  # never shown
        ("11pm (Pacific/Auckland)", utc(2026, 11, 15, 11), utc(2026, 11, 16, 10)),
    ],
)
def test_reset_times_follow_the_clocks_of_their_zone(
    text: str, now: datetime, resets_at: datetime
) -> None:
    found = find_quota(f"You've hit your limit · resets {text}", now, FAULTS)

    assert found == QuotaMessage(resets_at)


ZONES = st.sampled_from(["UTC", "America/Edmonton", "Europe/Berlin", "Asia/Kolkata"])
MOMENTS = st.datetimes(datetime(2025, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


@given(ZONES, MOMENTS, st.integers(1, 23 * 60))
def test_every_moment_of_the_next_day_is_read_back(zone: str, now: datetime, ahead: int) -> None:
    reset = (now + timedelta(minutes=ahead)).replace(second=0, microsecond=0)
    shown = reset.astimezone(ZoneInfo(zone))

    found = find_quota(f"You've hit your limit · resets {shown:%I:%M%p} ({zone})", now, FAULTS)

    assert found is not None
    assert found.resets_at is not None
    # On the night the clocks go back, one reading stands for two moments.
    assert reset - found.resets_at in (timedelta(0), timedelta(hours=1))


@given(st.text(max_size=600), MOMENTS)
def test_no_text_can_break_the_reading(tail: str, now: datetime) -> None:
    found = find_quota(f"You've hit your limit · resets {tail}"[:500], now, FAULTS)

    assert found is None or found.resets_at is None or found.resets_at.tzinfo is UTC


@pytest.mark.parametrize(
    ("resets_at", "jitter", "until"),
    [
        (utc(2026, 11, 15, 9), 0.0, utc(2026, 11, 15, 9, 1)),
        (utc(2026, 11, 15, 9), 0.5, utc(2026, 11, 15, 9, 1, 5)),
        (utc(2026, 11, 15, 9), 7.0, utc(2026, 11, 15, 9, 1, 10)),
        (utc(2026, 11, 15, 7), 0.0, utc(2026, 11, 15, 8, 1)),  # over already
        (None, 0.0, utc(2026, 11, 15, 8, 31)),
        (None, 1.0, utc(2026, 11, 15, 8, 31, 10)),
    ],
)
def test_the_wait_ends_a_minute_after_the_reset_or_after_half_an_hour(
    resets_at: datetime | None, jitter: float, until: datetime
) -> None:
    assert wait_until(resets_at, SUNDAY_8AM, jitter) == until
