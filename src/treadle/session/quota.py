"""The provider's quota as its messages word it: the second source, asked when no event told.

Only error results and messages that the agent makes up itself are asked about here. A message
counts when it is short and begins with one of the known sentences, so talk about limits does not.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from treadle.session.reset_time import find_reset

MARGIN_S = 60.0
UNKNOWN_RESET_S = 30 * 60.0

_LONGEST = 500


@dataclass(frozen=True, slots=True)
class QuotaText:
    """The provider's limit is reached; `resets_at` is in UTC, None when it was not to be told."""

    resets_at: datetime | None


# What may follow a sentence: its end, punctuation, or when it resets. "You've hit your limit of
# five requests" is somebody's program speaking.
_ENDS = r"(?=\s*(?:$|[·∙•|(\n.,;:!–—-]|will reset\b|resets?\b|for\b|and\b|until\b))"
_WHICH = r"(?:[\w.'-]+ ){0,5}?"
_WINDOW = r"(?:5-hour|five-hour|session|daily|weekly|monthly|opus|sonnet|organization|org|plan)"
_SENTENCES = (
    rf"you(?:'ve| have) (?:hit|reached|exceeded) your {_WHICH}(?:limit|budget|quota){_ENDS}",
    rf"your org(?:anization)? has (?:hit|reached|exceeded) its {_WHICH}(?:limit|budget){_ENDS}",
    rf"your org(?:anization)?'s {_WHICH}limit (?:is|was|has been) (?:hit|reached){_ENDS}",
    rf"claude (?:ai |code |pro |max )?(?:{_WINDOW} )?(?:usage )?limit reached{_ENDS}",
    rf"(?:your )?(?:{_WINDOW} ){{1,3}}(?:usage )?limit reached{_ENDS}",
    rf"(?:your )?usage limit reached{_ENDS}",
    rf"spending cap reached{_ENDS}",
    r"you're out of (?:extra usage|usage credits)\b",
    r"your org(?:anization)? is out of (?:extra )?usage\b",
    r"your seat type doesn't include (?:extra )?usage\b",
    r"your usage allocation has been disabled\b",
    r"(?:extra )?usage (?:has been|was|is) disabled (?:by|for) your (?:admin|org)",
    r"your group's usage limit is set to\b",
    r"this service is disabled for your org\b",
    r"(?:fable|haiku|mythos|opus|sonnet)(?: [^·\n]{1,40})? requires (?:usage credits|extra usage)",
)
_REACHED = re.compile(rf"(?:(?:api )?error: (?:429 )?)?(?:{'|'.join(_SENTENCES)})", re.IGNORECASE)


def find_quota(text: str, now: datetime) -> QuotaText | None:
    """The quota that a message reports reached, or None when it says something else."""
    message = text.strip().replace("’", "'")
    if len(message) > _LONGEST:
        return None
    sentence = _REACHED.match(message)
    return QuotaText(find_reset(message[sentence.end() :], now)) if sentence else None


def wait_until(
    resets_at: datetime | None, now: datetime, jitter: float, *, margin_s: float = MARGIN_S
) -> datetime:
    """When to try again: `margin_s` after the reset, and up to a sixth more by `jitter` (0 to 1).

    Without a known reset, half an hour from now, again and again: a limit that cannot be read is
    asked about seldom enough to do no harm.
    """
    spread = timedelta(seconds=margin_s / 6 * min(max(jitter, 0.0), 1.0))
    if resets_at is None:
        return now + timedelta(seconds=UNKNOWN_RESET_S) + spread
    reset = max(resets_at.astimezone(UTC), now.astimezone(UTC))
    return reset + timedelta(seconds=margin_s) + spread
