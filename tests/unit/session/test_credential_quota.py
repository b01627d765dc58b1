"""A spent quota closes the gate for every run with the same credential, until it is back."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from tests.builders import NOON
from treadle.domain.service_health import QuotaBlock
from treadle.domain.session import QuotaExceeded
from treadle.session.credential_quota import (
    block_after_limit,
    blocked_until,
    credential_fingerprint,
    is_quota_back,
)

KEY = "fingerprint"


def at(hour: int, minute: int = 0, second: int = 0) -> datetime:
    return datetime(2026, 5, 4, hour, minute, second, tzinfo=UTC)


def gate(until: datetime, reported_at: datetime = NOON, reason: str = "spent") -> QuotaBlock:
    return QuotaBlock(KEY, until, reason, reported_at, version=7)


SIX = gate(at(18))


@pytest.mark.parametrize(
    ("before", "resets_at", "now", "after"),
    [
        (None, at(15), at(12), QuotaBlock(KEY, at(15), "limit", at(12))),
        (None, None, at(12), QuotaBlock(KEY, at(12, 30), "limit", at(12))),
        (None, at(11), at(12), QuotaBlock(KEY, at(12), "limit", at(12))),  # a stale message
        (SIX, at(20), at(13), gate(at(20), at(13), "limit")),
        (SIX, at(15), at(13), gate(at(15), at(13), "limit")),  # newer, so it knows better
        (SIX, at(15), at(11), SIX),  # older: it may only lengthen
        (SIX, at(20), at(11), gate(at(20), NOON, "limit")),
        (SIX, None, at(13), gate(at(18), at(13))),  # it does not know, so it shortens nothing
        (gate(at(13)), None, at(13), gate(at(13, 30), at(13), "limit")),
        # The clock was set back since: what was reported then lies ahead, and counts no more.
        (SIX, at(9), at(8), gate(at(9), at(8), "limit")),
        (SIX, None, at(8), gate(at(8, 30), at(8), "limit")),
    ],
)
def test_the_newest_report_that_knows_the_reset_counts(
    before: QuotaBlock | None, resets_at: datetime | None, now: datetime, after: QuotaBlock
) -> None:
    assert block_after_limit(before, KEY, QuotaExceeded("limit", resets_at), now) == after


def test_moments_are_kept_in_utc() -> None:
    berlin = timezone(timedelta(hours=2))
    closed = block_after_limit(None, KEY, QuotaExceeded("limit", at(15).astimezone(berlin)), NOON)

    assert closed.closed_until.tzinfo is UTC


@pytest.mark.parametrize(
    ("now", "jitter", "until"),
    [
        (at(12), 0.0, at(18, 1)),
        (at(12), 0.5, at(18, 1, 5)),
        (at(12), 1.0, at(18, 1, 10)),
        (at(18, 0, 59), 1.0, at(18, 1, 10)),
        (at(18, 1), 1.0, None),
        (at(18, 1, 10), 1.0, None),  # whoever slept until its own moment may go on
    ],
)
def test_every_run_wakes_a_little_after_the_reset_and_not_all_at_once(
    now: datetime, jitter: float, until: datetime | None
) -> None:
    assert blocked_until(SIX, now, jitter, margin_s=60) == until


def test_a_limit_of_before_the_clock_was_set_back_makes_nobody_wait() -> None:
    an_hour_before, more = at(11), at(10, 59)

    assert blocked_until(SIX, an_hour_before, 0.0, margin_s=0.0) == at(18)
    assert blocked_until(SIX, more, 0.0, margin_s=0.0) is None


def test_a_credential_that_nobody_reported_on_is_open() -> None:
    assert blocked_until(None, NOON, 0.5, margin_s=60) is None


@pytest.mark.parametrize(("began", "opened"), [(at(11, 59), False), (at(12), True), (at(13), True)])
def test_only_a_session_that_began_after_the_limit_was_met_shows_that_it_is_over(
    began: datetime, opened: bool
) -> None:
    assert is_quota_back(SIX, began) == opened


def test_a_fingerprint_tells_credentials_and_services_apart_and_holds_neither() -> None:
    marks = {
        credential_fingerprint(service, credential)
        for service in ("model API", "model API at 127.0.0.1:4321")
        for credential in ("sk-secret-1", "sk-secret-2")
    }

    assert len(marks) == 4
    assert all(len(mark) == 32 and "secret" not in mark for mark in marks)
    assert credential_fingerprint("model API", "sk-secret-1") in marks
