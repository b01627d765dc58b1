"""Decides which findings of a review count, and the verdict of the review. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from treadle.domain.review import DroppedFinding, ReviewFinding, Severity, is_at_least
from treadle.domain.signal import SignalKind
from treadle.workflows.focus.phases import ReviewOutcome
from treadle.workflows.focus.previous_findings import PreviousFindings, is_quoted


@dataclass(frozen=True, slots=True)
class ReviewRules:
    """The limits that keep reviews from repeating for ever."""

    bar: Severity
    max_reviews: int


@dataclass(frozen=True, slots=True)
class FindingContext:
    """The state of the reviewed commit that decides whether a finding counts."""

    # The text of the finding's file; None if there is no such file.
    text: str | None = None
    # Whether its command fails there; None if it did not run.
    fails: bool | None = None
    # Files that changed since the last review; None for the first one.
    changed: frozenset[str] | None = None
    # The findings of earlier reviews.
    previous: tuple[ReviewFinding, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewJudgement:
    """`leftovers` are findings that count and that the run does not fix."""

    outcome: ReviewOutcome
    reason: str
    findings: tuple[ReviewFinding, ...]
    dropped: tuple[DroppedFinding, ...]
    leftovers: tuple[ReviewFinding, ...] = ()


def why_dropped(finding: ReviewFinding, context: FindingContext) -> str:
    """Why a finding does not count; empty if it does."""
    if not finding.text.strip():
        return "it says nothing"
    if finding.command.strip() and context.fails:
        # A failing command counts, whatever the scope of the review.
        return ""
    if not finding.quote.strip():
        return _without_quote(finding, context)
    if context.text is None:
        return f"there is no file {finding.file} in the commit"
    if not is_quoted(finding.quote, context.text):
        return f"the quoted line is not in {finding.file}"
    if context.changed is not None and not _is_in_scope(finding, context.changed, context.previous):
        return f"{finding.file} has not changed since the last review, which had nothing about it"
    return ""


_NO_PREVIOUS = PreviousFindings()


def judge_review(
    signal: SignalKind | None,
    checked: Sequence[tuple[ReviewFinding, str]],
    rules: ReviewRules,
    *,
    reviews_before: int,
    previous: PreviousFindings = _NO_PREVIOUS,
) -> ReviewJudgement:
    """The verdict of a review. Each finding comes with why it is dropped, empty if it counts."""
    findings = (
        tuple(finding for finding, drop_reason in checked if not drop_reason) + previous.failing
    )
    leftovers = findings + previous.open
    dropped = tuple(
        DroppedFinding(finding, drop_reason) for finding, drop_reason in checked if drop_reason
    )
    above_bar = [finding for finding in findings if is_at_least(finding.severity, rules.bar)]
    if not above_bar:
        reason = _approval_reason(signal, findings, dropped, rules)
        return ReviewJudgement("approved", reason, findings, dropped, leftovers)
    if reviews_before + 1 < rules.max_reviews:
        reason = f"{_findings(len(above_bar))} of weight {rules.bar} or more"
        if signal == "approved":
            reason += ", although the reviewer approved"
        if previous.failing:
            commands = "its command fails" if len(previous.failing) == 1 else "their commands fail"
            reason += f"; {_findings(len(previous.failing))} of an earlier review: {commands} still"
        return ReviewJudgement("changes", reason, findings, dropped)
    limit = f"(focus.max_reviews = {rules.max_reviews})"
    if blockers := [finding for finding in above_bar if finding.severity == "blocker"]:
        reason = f"{_findings(len(blockers))} of weight blocker left after the last review {limit}"
        return ReviewJudgement("given_up", reason, findings, dropped, leftovers)
    reason = f"{_findings(len(above_bar))} left for later after the last review {limit}"
    return ReviewJudgement("approved", reason, findings, dropped, leftovers)


def _without_quote(finding: ReviewFinding, context: FindingContext) -> str:
    if not finding.command.strip():
        return "it shows neither a line nor a failing command"
    if context.fails is None:
        return "its command could not be tried"
    return "its command succeeds"


def _is_in_scope(
    finding: ReviewFinding, changed: frozenset[str], previous: tuple[ReviewFinding, ...]
) -> bool:
    return finding.file in changed or finding.file in {each.file for each in previous}


def _approval_reason(
    signal: SignalKind | None,
    findings: Sequence[ReviewFinding],
    dropped: Sequence[DroppedFinding],
    rules: ReviewRules,
) -> str:
    if signal == "approved":
        return ""
    return (
        f"changes were requested, but nothing blocks approval: {_findings(len(dropped))} "
        f"dropped, {_findings(len(findings))} below {rules.bar}"
    )


def _findings(count: int) -> str:
    return "1 finding" if count == 1 else f"{count} findings"
