"""Recognizes a reached quota by its message, where the agent reported no event for it.

Only error results and messages of the agent itself are checked. A message counts when it is short
and starts with one of the agent's known sentences, so talk about limits does not.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache

from treadle.domain.diagnosis import FaultTable
from treadle.session.reset_time import find_reset

MARGIN_S = 60.0
UNKNOWN_RESET_S = 30 * 60.0

_MAX_LENGTH = 500


@dataclass(frozen=True, slots=True)
class QuotaMessage:
    """The provider's limit is reached; `resets_at` is in UTC, None if the message has none."""

    resets_at: datetime | None
    lasts: bool = False


def find_quota(text: str, now: datetime, table: FaultTable) -> QuotaMessage | None:
    """The reached quota that a message reports in one of the agent's sentences, or None."""
    message = text.strip().replace("’", "'")
    if len(message) > _MAX_LENGTH:
        return None
    lasting = _match(message, table.lasting_quota_sentences)
    sentence = lasting or _match(message, table.quota_sentences)
    if sentence is None:
        return None
    resets_at = find_reset(message[sentence.end() :], now)
    return QuotaMessage(resets_at, lasts=lasting is not None and resets_at is None)


def _match(message: str, sentences: tuple[str, ...]) -> re.Match[str] | None:
    return _pattern(sentences).match(message) if sentences else None


@cache
def _pattern(sentences: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?:(?:api )?error: (?:429 )?)?(?:{'|'.join(sentences)})", re.IGNORECASE)


def wait_until(
    resets_at: datetime | None, now: datetime, jitter: float, *, margin_s: float = MARGIN_S
) -> datetime:
    """When to retry: `margin_s` after the reset, plus up to a sixth more by `jitter` (0 to 1).

    An unknown reset counts as half an hour from now, each time, as in `credential_quota`.
    """
    guess = now + timedelta(seconds=UNKNOWN_RESET_S)
    reset = max((resets_at or guess).astimezone(UTC), now.astimezone(UTC))
    return reset + timedelta(seconds=margin_s) + jitter_delay(margin_s, jitter)


def jitter_delay(margin_s: float, jitter: float) -> timedelta:
    """Up to a sixth of the margin, so that runs that wait together do not retry together."""
    return timedelta(seconds=margin_s / 6 * min(max(jitter, 0.0), 1.0))
