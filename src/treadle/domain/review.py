"""Reviews: findings, their severity, and why a finding does not count."""

from dataclasses import dataclass
from typing import Literal

Severity = Literal["blocker", "major", "minor", "nit"]
# The most severe first.
SEVERITIES: tuple[Severity, ...] = ("blocker", "major", "minor", "nit")

Verdict = Literal["approved", "changes_requested"]


@dataclass(frozen=True, slots=True)
class ReviewFinding:
    """One remark of a review, with a quoted line or a failing command as its proof."""

    severity: Severity
    text: str
    file: str = ""
    quote: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class DroppedFinding:
    """A finding that does not count, and why."""

    finding: ReviewFinding
    reason: str


def is_at_least(severity: Severity, bar: Severity) -> bool:
    """Whether this severity is at the bar or above."""
    return SEVERITIES.index(severity) <= SEVERITIES.index(bar)
