"""When a credential's quota closes its gate for all runs, and when it opens; pure functions."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from treadle.domain.gates import QuotaGate
from treadle.domain.session import QuotaExceeded
from treadle.session.quota import UNKNOWN_RESET_S, spread


def fingerprint(service: str, credential: str) -> str:
    """A name for a credential that cannot be turned back into it.

    The service is part of it: what a rehearsal plays must close no gate of a real account.
    """
    return hashlib.sha256(f"treadle\0{service}\0{credential}".encode()).hexdigest()[:32]


def closed_by(
    gate: QuotaGate | None, credential: str, spent: QuotaExceeded, now: datetime
) -> QuotaGate:
    """The gate after a session met the limit.

    The newest report counts, but one that does not know the reset never brings it forward, nor
    does one that is older than what is known.
    """
    unknown = now + timedelta(seconds=UNKNOWN_RESET_S)
    until = max(spent.resets_at or unknown, now).astimezone(UTC)
    if gate is None:
        return QuotaGate(credential, until, spent.message, now)
    newer = now > gate.reported_at
    if until < gate.closed_until and not (newer and spent.resets_at is not None):
        return replace(gate, reported_at=max(now, gate.reported_at))
    return replace(
        gate,
        closed_until=until,
        reason=spent.message,
        reported_at=max(now, gate.reported_at),
    )


def opens(gate: QuotaGate, session_began: datetime) -> bool:
    """Whether a session that got through shows that the quota is back: one that had begun before
    the limit was met shows nothing."""
    return session_began >= gate.reported_at


def closed_until(
    gate: QuotaGate | None, now: datetime, jitter: float, *, margin_s: float
) -> datetime | None:
    """When the run may ask again, by its own `jitter` (0 to 1); None if it may go on now."""
    if gate is None or now >= gate.closed_until + timedelta(seconds=margin_s):
        return None
    return gate.closed_until + timedelta(seconds=margin_s) + spread(margin_s, jitter)
