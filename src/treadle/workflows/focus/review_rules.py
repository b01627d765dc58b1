"""Which findings of a review count, and what follows from them. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from treadle.domain.review import DroppedFinding, ReviewFinding, Severity, is_at_least
from treadle.domain.signal import SignalKind
from treadle.workflows.focus.phases import ReviewOutcome
from treadle.workflows.focus.previous_findings import PreviousFindings
from treadle.workflows.focus.quotes import is_quoted


@dataclass(frozen=True, slots=True)
class ReviewRules:
    """How reviews are kept from going on for ever."""

    bar: Severity
    max_reviews: int


@dataclass(frozen=True, slots=True)
class FindingContext:
    """What a finding can be held against, as it is in the commit that was reviewed."""

    # The text of the finding's file; None if there is no such file.
    text: str | None = None
    # Whether its command fails there; None if nobody tried.
    fails: bool | None = None
    # Files that changed since the last review; None for the first one.
    changed: frozenset[str] | None = None
    # What the last review had found.
    earlier: tuple[ReviewFinding, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewJudgement:
    """`leftovers` are findings that count and that the run does not mend."""

    outcome: ReviewOutcome
    reason: str
    findings: tuple[ReviewFinding, ...]
    dropped: tuple[DroppedFinding, ...]
    leftovers: tuple[ReviewFinding, ...] = ()


def why_dropped(finding: ReviewFinding, seen: FindingContext) -> str:
    """Why a finding does not count; empty if it does."""
    if not finding.text.strip():
        return "it says nothing"
    if finding.command.strip() and seen.fails:
        # Whatever the last review was about, a command that fails is a fact.
        return ""
    if not finding.quote.strip():
        return _without_quote(finding, seen)
    if seen.text is None:
        return f"there is no file {finding.file} in the commit"
    if not is_quoted(finding.quote, seen.text):
        return f"the quoted line is not in {finding.file}"
    if seen.changed is not None and not _in_question(finding, seen.changed, seen.earlier):
        return f"{finding.file} has not changed since the last review, which had nothing about it"
    return ""


_NOTHING_BEFORE = PreviousFindings()


def judge_review(
    said: SignalKind | None,
    looked_into: Sequence[tuple[ReviewFinding, str]],
    terms: ReviewRules,
    *,
    reviews_before: int,
    earlier: PreviousFindings = _NOTHING_BEFORE,
) -> ReviewJudgement:
    """What a review comes to; each finding has its fault beside it, empty for one that counts."""
    findings = tuple(finding for finding, fault in looked_into if not fault) + earlier.failing
    leftovers = findings + earlier.open
    dropped = tuple(DroppedFinding(finding, fault) for finding, fault in looked_into if fault)
    heavy = [finding for finding in findings if is_at_least(finding.severity, terms.bar)]
    if not heavy:
        reason = _nothing_heavy(said, findings, dropped, terms)
        return ReviewJudgement("approved", reason, findings, dropped, leftovers)
    if reviews_before + 1 < terms.max_reviews:
        reason = f"{_findings(len(heavy))} of weight {terms.bar} or more"
        if said == "approved":
            reason += ", although the reviewer approved"
        if earlier.failing:
            commands = "its command fails" if len(earlier.failing) == 1 else "their commands fail"
            reason += f"; {_findings(len(earlier.failing))} of an earlier review: {commands} still"
        return ReviewJudgement("changes", reason, findings, dropped)
    most = f"(focus.max_reviews = {terms.max_reviews})"
    if blockers := [finding for finding in heavy if finding.severity == "blocker"]:
        left = f"{_findings(len(blockers))} of weight blocker left after the last review {most}"
        return ReviewJudgement("given_up", left, findings, dropped, leftovers)
    later = f"{_findings(len(heavy))} left for later after the last review {most}"
    return ReviewJudgement("approved", later, findings, dropped, leftovers)


def _without_quote(finding: ReviewFinding, seen: FindingContext) -> str:
    if not finding.command.strip():
        return "it shows neither a line nor a failing command"
    if seen.fails is None:
        return "its command could not be tried"
    return "its command succeeds"


def _in_question(
    finding: ReviewFinding, changed: frozenset[str], earlier: tuple[ReviewFinding, ...]
) -> bool:
    return finding.file in changed or finding.file in {each.file for each in earlier}


def _nothing_heavy(
    said: SignalKind | None,
    findings: Sequence[ReviewFinding],
    dropped: Sequence[DroppedFinding],
    terms: ReviewRules,
) -> str:
    if said == "approved":
        return ""
    return (
        f"changes were requested, but nothing stands in the way: {_findings(len(dropped))} "
        f"dropped, {_findings(len(findings))} below {terms.bar}"
    )


def _findings(count: int) -> str:
    return "1 finding" if count == 1 else f"{count} findings"
