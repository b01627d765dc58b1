"""Decides how long a spent quota blocks all runs of a credential. Pure."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from treadle.domain.service_health import LARGEST_SKEW, QuotaBlock
from treadle.domain.session import QuotaExceeded
from treadle.session.quota_messages import UNKNOWN_RESET_S, jitter_delay


def credential_fingerprint(service: str, credential: str) -> str:
    """A one-way hash that identifies a credential.

    It includes the service, so that a rehearsal never blocks a real account.
    """
    return hashlib.sha256(f"treadle\0{service}\0{credential}".encode()).hexdigest()[:32]


def block_after_limit(
    block: QuotaBlock | None, credential: str, spent: QuotaExceeded, now: datetime
) -> QuotaBlock:
    """The block after a session reached the limit.

    The newest report counts, but a report that is older or has no reset time never shortens the
    block.
    """
    unknown = now + timedelta(seconds=UNKNOWN_RESET_S)
    until = max(spent.resets_at or unknown, now).astimezone(UTC)
    if block is None:
        return QuotaBlock(credential, until, spent.message, now)
    if _is_ahead(block, now):
        return replace(block, closed_until=until, reason=spent.message, reported_at=now)
    newer = now > block.reported_at
    if until < block.closed_until and not (newer and spent.resets_at is not None):
        return replace(block, reported_at=max(now, block.reported_at))
    return replace(
        block,
        closed_until=until,
        reason=spent.message,
        reported_at=max(now, block.reported_at),
    )


def is_quota_back(block: QuotaBlock, session_began: datetime) -> bool:
    """Whether a successful session shows that the quota is back: it must have started after the
    limit was reported."""
    return session_began >= block.reported_at


def blocked_until(
    block: QuotaBlock | None, now: datetime, jitter: float, *, margin_s: float
) -> datetime | None:
    """When the run may start a session, with its own `jitter` (0 to 1); None if now."""
    if block is None or _is_ahead(block, now):
        return None
    if now >= block.closed_until + timedelta(seconds=margin_s):
        return None
    return block.closed_until + timedelta(seconds=margin_s) + jitter_delay(margin_s, jitter)


def _is_ahead(block: QuotaBlock, now: datetime) -> bool:
    """Whether the clock was set back after the limit was reported: then the reset lies no longer
    where it seems to lie, and the next session finds out."""
    return block.reported_at > now + LARGEST_SKEW
