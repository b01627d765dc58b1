"""Decides how long a spent quota blocks all runs of a credential. Pure."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from treadle.domain.service_health import QuotaBlock
from treadle.domain.session import QuotaExceeded
from treadle.session.quota_messages import UNKNOWN_RESET_S, jitter_delay


def credential_fingerprint(service: str, credential: str) -> str:
    """A name for a credential that cannot be turned back into it.

    The service is part of it: what a rehearsal plays must close no gate of a real account.
    """
    return hashlib.sha256(f"treadle\0{service}\0{credential}".encode()).hexdigest()[:32]


def block_after_limit(
    gate: QuotaBlock | None, credential: str, spent: QuotaExceeded, now: datetime
) -> QuotaBlock:
    """The gate after a session met the limit.

    The newest report counts, but one that does not know the reset never brings it forward, nor
    does one that is older than what is known.
    """
    unknown = now + timedelta(seconds=UNKNOWN_RESET_S)
    until = max(spent.resets_at or unknown, now).astimezone(UTC)
    if gate is None:
        return QuotaBlock(credential, until, spent.message, now)
    newer = now > gate.reported_at
    if until < gate.closed_until and not (newer and spent.resets_at is not None):
        return replace(gate, reported_at=max(now, gate.reported_at))
    return replace(
        gate,
        closed_until=until,
        reason=spent.message,
        reported_at=max(now, gate.reported_at),
    )


def is_quota_back(gate: QuotaBlock, session_began: datetime) -> bool:
    """Whether a session that got through shows that the quota is back: one that had begun before
    the limit was met shows nothing."""
    return session_began >= gate.reported_at


def blocked_until(
    gate: QuotaBlock | None, now: datetime, jitter: float, *, margin_s: float
) -> datetime | None:
    """When the run may ask again, by its own `jitter` (0 to 1); None if it may go on now."""
    if gate is None or now >= gate.closed_until + timedelta(seconds=margin_s):
        return None
    return gate.closed_until + timedelta(seconds=margin_s) + jitter_delay(margin_s, jitter)
