"""The texts of a `focus` run's working files, which people read while it works. Pure."""

from treadle.domain.events.focus import ReviewJudged
from treadle.domain.review import DroppedFinding, ReviewFinding
from treadle.domain.signal import Signal
from treadle.workflows.focus.focus_history import FocusHistory

# Suffixes of the file names, after the run's id.
SESSION = ".md"
PLAN = ".plan.md"
REVIEW = ".review.md"

PROGRESS_LOG = "# Progress Log"


def working_files(history: FocusHistory, *, given_review: str) -> dict[str, str]:
    """The current files by the suffix of their names.

    `given_review` is the person's review that the run started with.
    """
    files = {}
    if history.is_draft:
        files[PLAN] = _with_newline(history.draft)
    if history.plan:
        files[SESSION] = session_text(history.plan, history.entries)
    if review := review_text(history, given_review=given_review):
        files[REVIEW] = review
    return files | _earlier_rounds(history)


def _earlier_rounds(history: FocusHistory) -> dict[str, str]:
    """Plans that a later one replaced, and reviews that no plan must satisfy any more."""
    earlier = zip(history.plans, history.earlier_entries, strict=False)
    files = {
        f".round-{number}{SESSION}": session_text(plan, entries)
        for number, (plan, entries) in enumerate(earlier, start=1)
    }
    return files | {
        f".round-{review.number}{REVIEW}": judged_text(review)
        for review in history.reviews
        if review is not history.requested_changes
    }


def session_text(plan: str, entries: tuple[Signal, ...]) -> str:
    """The plan, then the signals of its implementers in order."""
    return "\n".join([_with_newline(plan), PROGRESS_LOG, "", log_text(entries)]).rstrip("\n") + "\n"


def log_text(entries: tuple[Signal, ...]) -> str:
    """The signals as markers."""
    return "\n".join(
        f"<{entry.kind.upper()}>\n{entry.text.strip()}\n</{entry.kind.upper()}>\n"
        for entry in entries
    )


def review_text(history: FocusHistory, *, given_review: str) -> str:
    """The review that the next plan must satisfy; empty if there is none."""
    review = history.requested_changes
    if review is None:
        return _with_newline(given_review) if given_review.strip() and not history.reviews else ""
    return judged_text(review)


def judged_text(review: ReviewJudged) -> str:
    """One review as markdown."""
    lines = [f"# Review of round {review.number}", ""]
    if review.verdict == "approved":
        lines += ["Approved.", ""]
    if review.reason:
        lines += [review.reason, ""]
    for number, finding in enumerate(review.findings, start=1):
        lines += finding_lines(number, finding)
    if review.dropped:
        lines += ["## Findings that do not count", ""]
        lines += [_dropped(each) for each in review.dropped]
    return "\n".join(lines).rstrip("\n") + "\n"


def finding_lines(number: int, finding: ReviewFinding) -> list[str]:
    """One finding as markdown."""
    location = f" in `{finding.file}`" if finding.file else ""
    lines = [f"## {number}. {finding.severity}{location}", "", finding.text.strip(), ""]
    if finding.quote.strip():
        lines += [*(f"> {line}" for line in finding.quote.strip().splitlines()), ""]
    if finding.command.strip():
        lines += [f"Fails: `{finding.command.strip()}`", ""]
    return lines


def _dropped(each: DroppedFinding) -> str:
    first = " ".join(each.finding.text.split())[:200]
    return f"- {each.finding.severity}: {first} ({each.reason})"


def _with_newline(text: str) -> str:
    return text.strip("\n") + "\n"
