"""Lines for a `focus` run: its phases, its plan, what its checks and reviews said."""

from typing import TypeAlias, assert_never

from treadle.cli.terminal.duration import duration
from treadle.cli.terminal.figures import counted, short_commit
from treadle.cli.terminal.run_lines import marked
from treadle.cli.terminal.view import Level, Line, View, paragraph
from treadle.domain.events.focus import (
    BacklogSaved,
    CommandFinished,
    CommitFailed,
    IssueSaved,
    PhaseStarted,
    PlanWritten,
    ReviewJudged,
    ReviewWritten,
)
from treadle.domain.review import Finding

FocusEvent: TypeAlias = (
    PhaseStarted
    | PlanWritten
    | CommandFinished
    | ReviewWritten
    | ReviewJudged
    | IssueSaved
    | BacklogSaved
    | CommitFailed
)

PLAN_LINES = 60
SAID_LINES = 5


def focus_lines(event: FocusEvent, view: View) -> list[Line]:
    """What a person must see at every level, and from the normal level on the rest."""
    match event:
        case IssueSaved():
            return marked("!", f"The specifications need you: {event.path}", view)
        case CommitFailed():
            return marked("!", f"not committed: {event.message}", view)
        case PhaseStarted() | PlanWritten() | CommandFinished():
            return _way_lines(event, view) if view.level >= Level.NORMAL else []
        case ReviewWritten() | ReviewJudged() | BacklogSaved():
            return _review_lines(event, view) if view.level >= Level.NORMAL else []
        case _:
            assert_never(event)


def _way_lines(event: PhaseStarted | PlanWritten | CommandFinished, view: View) -> list[Line]:
    match event:
        case PhaseStarted():
            return [(("  phase ", "quiet"), (event.phase, "phase"))]
        case PlanWritten():
            return _plan(event, view)
        case CommandFinished():
            return _check(event, view)
        case _:
            assert_never(event)


def _review_lines(event: ReviewWritten | ReviewJudged | BacklogSaved, view: View) -> list[Line]:
    match event:
        case ReviewWritten():
            text = f"  review handed over: {counted(len(event.findings), 'finding')}"
            return [((text, "quiet"),)]
        case ReviewJudged():
            return _review(event, view)
        case BacklogSaved():
            text = f"  left for later: {counted(len(event.paths), 'finding')} in .treadle/backlog"
            return [((text, "quiet"),)]
        case _:
            assert_never(event)


def _plan(event: PlanWritten, view: View) -> list[Line]:
    lines = counted(len(event.text.splitlines()), "line")
    title: Line = ((f"  plan handed over: {lines}", "quiet"),)
    if view.level < Level.VERBOSE:
        return [title]
    text = paragraph(event.text, style="plain", view=view, most=PLAN_LINES, indent="  │ ")
    return [title, *text]


def _check(event: CommandFinished, view: View) -> list[Line]:
    took, where = duration(event.duration_s), short_commit(event.commit)
    if event.exit_code == 0:
        return [((f"  check passes on {where} in {took}: {event.command}", "quiet"),)]
    how = "ran out of time" if event.exit_code is None else f"fails ({event.exit_code})"
    said = event.output.strip().splitlines()[-SAID_LINES:]
    first = f"check {how} on {where} after {took}: {event.command}"
    return [*marked("!", first, view), *(((f"    {line}", "quiet"),) for line in said)]


def _review(event: ReviewJudged, view: View) -> list[Line]:
    approved = event.verdict == "approved"
    words = "review: approved" if approved else "review: changes requested"
    reason = f" ({event.reason.splitlines()[0]})" if event.reason else ""
    lines: list[Line] = [((f"  {words}{reason}", "good" if approved else "warning"),)]
    for finding in event.findings:
        lines += _finding(finding, "", view)
    for dropped in event.dropped:
        lines += _finding(dropped.finding, f"dropped, {dropped.reason}: ", view)
    return lines


def _finding(finding: Finding, before: str, view: View) -> list[Line]:
    where = f" {finding.file}" if finding.file else ""
    text = f"{finding.severity}{where}: {before}{' '.join(finding.text.split())}"
    return paragraph(text, style="quiet", view=view, most=2, indent="    ")
