"""The working files of a `focus` run as texts: what people read while it works. Pure."""

from treadle.domain.review import Dropped, Finding
from treadle.domain.signal import Signal
from treadle.workflows.focus.recollection import Course

# What each of them is called, behind the run's id.
SESSION = ".md"
PLAN = ".plan.md"
REVIEW = ".review.md"

PROGRESS_LOG = "# Progress Log"


def working_files(course: Course, *, given_review: str) -> dict[str, str]:
    """The files that there are at this point of the run, by how their names end.

    `given_review` is a person's, with which the run began.
    """
    files = {}
    if course.is_draft:
        files[PLAN] = _ended(course.draft)
    if course.plan:
        files[SESSION] = session_text(course)
    if review := review_text(course, given_review=given_review):
        files[REVIEW] = review
    return files


def session_text(course: Course) -> str:
    """The plan, and below it everything that implementers said about it, in order."""
    return (
        "\n".join([_ended(course.plan), PROGRESS_LOG, "", log_text(course.entries)]).rstrip("\n")
        + "\n"
    )


def log_text(entries: tuple[Signal, ...]) -> str:
    """Signals in the form of markers."""
    return "\n".join(
        f"<{entry.kind.upper()}>\n{entry.text.strip()}\n</{entry.kind.upper()}>\n"
        for entry in entries
    )


def review_text(course: Course, *, given_review: str) -> str:
    """The review that the next plan has to satisfy; empty if there is none."""
    requested = course.requested
    if requested is None:
        return _ended(given_review) if given_review.strip() and not course.judged else ""
    lines = [f"# Review of round {requested.number}", "", requested.reason, ""]
    for number, finding in enumerate(requested.findings, start=1):
        lines += finding_lines(number, finding)
    if requested.dropped:
        lines += ["## Findings that do not count", ""]
        lines += [_dropped(each) for each in requested.dropped]
    return "\n".join(lines).rstrip("\n") + "\n"


def finding_lines(number: int, finding: Finding) -> list[str]:
    """One finding as markdown."""
    where = f" in `{finding.file}`" if finding.file else ""
    lines = [f"## {number}. {finding.severity}{where}", "", finding.text.strip(), ""]
    if finding.quote.strip():
        lines += [*(f"> {line}" for line in finding.quote.strip().splitlines()), ""]
    if finding.command.strip():
        lines += [f"Fails: `{finding.command.strip()}`", ""]
    return lines


def _dropped(each: Dropped) -> str:
    first = " ".join(each.finding.text.split())[:200]
    return f"- {each.finding.severity}: {first} ({each.reason})"


def _ended(text: str) -> str:
    return text.strip("\n") + "\n"
