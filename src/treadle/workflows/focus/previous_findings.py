"""Findings of earlier reviews, and which of them are settled. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from treadle.domain.events.focus import ReviewJudged
from treadle.domain.review import SEVERITIES, ReviewFinding
from treadle.workflows.focus.quotes import fold_spaces, is_quoted

# again: its command fails still · open: nothing says that it was mended.
FindingStatus = Literal["again", "open", "mended"]


@dataclass(frozen=True, slots=True)
class PreviousFindings:
    """Findings of earlier reviews that the last one did not repeat, by how they stand."""

    failing: tuple[ReviewFinding, ...] = ()
    open: tuple[ReviewFinding, ...] = ()


def earlier_findings(judged: Sequence[ReviewJudged]) -> tuple[ReviewFinding, ...]:
    """What these reviews found and none of them called settled, in the order that a reviewer is
    shown it. One that was repeated is there once, as it was said last. One with a command stays:
    what it shows may be broken again."""
    found: dict[str, ReviewFinding] = {}
    for review in judged:
        for settled in review.settled:
            if not settled.command.strip():
                found.pop(finding_key(settled), None)
        found |= {finding_key(finding): finding for finding in review.findings}
    return tuple(found.values())


def finding_key(finding: ReviewFinding) -> str:
    """The same for two findings that are shown by the same thing."""
    return fold_spaces(finding.command) or f"{finding.file}: {fold_spaces(finding.quote)}"


def most_severe_first(findings: Sequence[ReviewFinding]) -> list[ReviewFinding]:
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def settled_findings(
    before: Sequence[ReviewFinding], numbers: Sequence[int], given: Sequence[ReviewFinding]
) -> tuple[ReviewFinding, ...]:
    """The findings that a reviewer gave the numbers of; one that it repeats is not among them."""
    repeated = {finding_key(finding) for finding in given}
    return tuple(
        finding
        for number, finding in enumerate(before, start=1)
        if number in numbers and finding_key(finding) not in repeated
    )


def finding_status(
    finding: ReviewFinding, *, text: str | None, fails: bool | None, is_settled: bool
) -> FindingStatus:
    """`text` is that of its file and `fails` says how its command ended, both in the commit that is
    reviewed; None if there is no such file, or nobody tried."""
    if fails:
        # A fact, whatever anybody calls it.
        return "again"
    if is_settled:
        return "mended"
    if finding.quote.strip():
        return "open" if text is not None and is_quoted(finding.quote, text) else "mended"
    return "open" if fails is None else "mended"
