"""Findings of earlier reviews, and which of them are settled. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from treadle.domain.events.focus import ReviewJudged
from treadle.domain.review import SEVERITIES, ReviewFinding

# failing: its command still fails · open: nothing shows that it was fixed.
FindingStatus = Literal["failing", "open", "fixed"]


@dataclass(frozen=True, slots=True)
class PreviousFindings:
    """Findings of earlier reviews that the last one did not repeat, by status."""

    failing: tuple[ReviewFinding, ...] = ()
    open: tuple[ReviewFinding, ...] = ()


def earlier_findings(reviews: Sequence[ReviewJudged]) -> tuple[ReviewFinding, ...]:
    """The findings that no review called settled, in the order of the reviewer's prompt.

    A repeated finding appears once, in its last form. A finding with a command stays, because the
    command may fail again.
    """
    findings: dict[str, ReviewFinding] = {}
    for review in reviews:
        for settled in review.settled:
            if not settled.command.strip():
                findings.pop(finding_key(settled), None)
        findings |= {finding_key(finding): finding for finding in review.findings}
    return tuple(findings.values())


def finding_key(finding: ReviewFinding) -> str:
    """The same for two findings with the same command or quote."""
    return fold_spaces(finding.command) or f"{finding.file}: {fold_spaces(finding.quote)}"


def most_severe_first(findings: Sequence[ReviewFinding]) -> list[ReviewFinding]:
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def settled_findings(
    earlier: Sequence[ReviewFinding], numbers: Sequence[int], new: Sequence[ReviewFinding]
) -> tuple[ReviewFinding, ...]:
    """The earlier findings whose numbers a reviewer gave, without those that it repeats."""
    repeated = {finding_key(finding) for finding in new}
    return tuple(
        finding
        for number, finding in enumerate(earlier, start=1)
        if number in numbers and finding_key(finding) not in repeated
    )


def finding_status(
    finding: ReviewFinding, *, text: str | None, fails: bool | None, is_settled: bool
) -> FindingStatus:
    """`text` is the finding's file in the reviewed commit, None if there is none; `fails` is the
    result of its command there, None if it did not run."""
    if fails:
        # A failing command counts, even if the finding is called settled.
        return "failing"
    if is_settled:
        return "fixed"
    if finding.quote.strip():
        return "open" if text is not None and is_quoted(finding.quote, text) else "fixed"
    return "open" if fails is None else "fixed"


def is_quoted(quote: str, text: str) -> bool:
    """Whether a text contains all lines of a quote, whatever their indentation."""
    lines = [fold_spaces(line) for line in text.splitlines()]
    quoted = [line for raw in quote.splitlines() if (line := fold_spaces(raw))]
    return bool(quoted) and all(any(part in line for line in lines) for part in quoted)


def fold_spaces(line: str) -> str:
    """Replace each run of white space by one space."""
    return " ".join(line.split())
