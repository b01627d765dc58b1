"""A review: what a reviewer found, how much each finding weighs, and why one does not count."""

from dataclasses import dataclass
from typing import Literal

Severity = Literal["blocker", "major", "minor", "nit"]
# The heaviest first.
SEVERITIES: tuple[Severity, ...] = ("blocker", "major", "minor", "nit")

Verdict = Literal["approved", "changes_requested"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One remark of a review: shown by a line of a file, or by a command that fails."""

    severity: Severity
    text: str
    file: str = ""
    quote: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A finding that does not count, and why."""

    finding: Finding
    reason: str


def weighs(severity: Severity, bar: Severity) -> bool:
    """Whether a finding of this severity is at the bar or above it."""
    return SEVERITIES.index(severity) <= SEVERITIES.index(bar)
