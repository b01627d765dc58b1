"""The working files of a `focus` run as texts: what people read while it works. Pure."""

from treadle.domain.events.focus import ReviewJudged
from treadle.domain.review import DroppedFinding, ReviewFinding
from treadle.domain.signal import Signal
from treadle.workflows.focus.focus_history import FocusHistory

# What each of them is called, behind the run's id.
SESSION = ".md"
PLAN = ".plan.md"
REVIEW = ".review.md"

PROGRESS_LOG = "# Progress Log"


def working_files(course: FocusHistory, *, given_review: str) -> dict[str, str]:
    """The files that there are at this point of the run, by how their names end.

    `given_review` is a person's, with which the run began.
    """
    files = {}
    if course.is_draft:
        files[PLAN] = _ended(course.draft)
    if course.plan:
        files[SESSION] = session_text(course.plan, course.entries)
    if review := review_text(course, given_review=given_review):
        files[REVIEW] = review
    return files | _of_earlier_rounds(course)


def _of_earlier_rounds(course: FocusHistory) -> dict[str, str]:
    """Plans that another has followed, and reviews that no plan has to satisfy any more."""
    before = zip(course.plans, course.earlier_entries, strict=False)
    files = {
        f".round-{number}{SESSION}": session_text(plan, entries)
        for number, (plan, entries) in enumerate(before, start=1)
    }
    return files | {
        f".round-{judged.number}{REVIEW}": judged_text(judged)
        for judged in course.reviews
        if judged is not course.requested_changes
    }


def session_text(plan: str, entries: tuple[Signal, ...]) -> str:
    """The plan, and below it everything that implementers said about it, in order."""
    return "\n".join([_ended(plan), PROGRESS_LOG, "", log_text(entries)]).rstrip("\n") + "\n"


def log_text(entries: tuple[Signal, ...]) -> str:
    """Signals in the form of markers."""
    return "\n".join(
        f"<{entry.kind.upper()}>\n{entry.text.strip()}\n</{entry.kind.upper()}>\n"
        for entry in entries
    )


def review_text(course: FocusHistory, *, given_review: str) -> str:
    """The review that the next plan has to satisfy; empty if there is none."""
    requested = course.requested_changes
    if requested is None:
        return _ended(given_review) if given_review.strip() and not course.reviews else ""
    return judged_text(requested)


def judged_text(judged: ReviewJudged) -> str:
    """One review as markdown."""
    lines = [f"# Review of round {judged.number}", ""]
    if judged.verdict == "approved":
        lines += ["Approved.", ""]
    if judged.reason:
        lines += [judged.reason, ""]
    for number, finding in enumerate(judged.findings, start=1):
        lines += finding_lines(number, finding)
    if judged.dropped:
        lines += ["## Findings that do not count", ""]
        lines += [_dropped(each) for each in judged.dropped]
    return "\n".join(lines).rstrip("\n") + "\n"


def finding_lines(number: int, finding: ReviewFinding) -> list[str]:
    """One finding as markdown."""
    where = f" in `{finding.file}`" if finding.file else ""
    lines = [f"## {number}. {finding.severity}{where}", "", finding.text.strip(), ""]
    if finding.quote.strip():
        lines += [*(f"> {line}" for line in finding.quote.strip().splitlines()), ""]
    if finding.command.strip():
        lines += [f"Fails: `{finding.command.strip()}`", ""]
    return lines


def _dropped(each: DroppedFinding) -> str:
    first = " ".join(each.finding.text.split())[:200]
    return f"- {each.finding.severity}: {first} ({each.reason})"


def _ended(text: str) -> str:
    return text.strip("\n") + "\n"
