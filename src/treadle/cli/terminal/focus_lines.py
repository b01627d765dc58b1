"""Lines for a `focus` run: phases, plan, check results and reviews."""

from typing import TypeAlias, assert_never

from treadle.cli.terminal.run_lines import marked_lines
from treadle.cli.terminal.styled_lines import Line, RenderOptions, Verbosity, paragraph, quoted
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
from treadle.domain.review import ReviewFinding
from treadle.views.duration import duration
from treadle.views.figures import pluralize, short_commit

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
OUTPUT_LINES = 5


def focus_lines(event: FocusEvent, options: RenderOptions) -> list[Line]:
    """What needs a person at every level; the rest from the normal level on."""
    match event:
        case IssueSaved():
            return marked_lines("!", f"The specifications need you: {event.path}", options)
        case CommitFailed():
            return marked_lines("!", f"not committed: {event.message}", options)
        case PhaseStarted() | PlanWritten() | CommandFinished():
            return _work_lines(event, options) if options.level >= Verbosity.NORMAL else []
        case ReviewWritten() | ReviewJudged() | BacklogSaved():
            return _review_lines(event, options) if options.level >= Verbosity.NORMAL else []
        case _:
            assert_never(event)


def _work_lines(
    event: PhaseStarted | PlanWritten | CommandFinished, options: RenderOptions
) -> list[Line]:
    match event:
        case PhaseStarted():
            return [(("  phase ", "quiet"), (event.phase, "phase"))]
        case PlanWritten():
            return _plan_lines(event, options)
        case CommandFinished():
            return _check_lines(event, options)
        case _:
            assert_never(event)


def _review_lines(
    event: ReviewWritten | ReviewJudged | BacklogSaved, options: RenderOptions
) -> list[Line]:
    match event:
        case ReviewWritten():
            text = f"  review written: {pluralize(len(event.findings), 'finding')}"
            return [((text, "quiet"),)]
        case ReviewJudged():
            return _verdict_lines(event, options)
        case BacklogSaved():
            text = f"  left for later: {pluralize(len(event.paths), 'finding')} in .treadle/backlog"
            return [((text, "quiet"),)]
        case _:
            assert_never(event)


def _plan_lines(event: PlanWritten, options: RenderOptions) -> list[Line]:
    lines = pluralize(len(event.text.splitlines()), "line")
    title: Line = ((f"  plan written: {lines}", "quiet"),)
    if options.level < Verbosity.VERBOSE:
        return [title]
    text = paragraph(event.text, style="plain", options=options, most=PLAN_LINES, indent="  │ ")
    return [title, *text]


def _check_lines(event: CommandFinished, options: RenderOptions) -> list[Line]:
    took, where = duration(event.duration_s), short_commit(event.commit)
    if event.exit_code == 0:
        return [((f"  check passes on {where} in {took}: {event.command}", "quiet"),)]
    how = "ran out of time" if event.exit_code is None else f"fails ({event.exit_code})"
    output = event.output.strip().splitlines()[-OUTPUT_LINES:]
    first = f"check {how} on {where} after {took}: {event.command}"
    return [
        *marked_lines("!", first, options),
        *((quoted("    "), (line, "quiet")) for line in output),
    ]


def _verdict_lines(event: ReviewJudged, options: RenderOptions) -> list[Line]:
    approved = event.verdict == "approved"
    verdict = "review: approved" if approved else "review: changes requested"
    reason = f" ({event.reason.splitlines()[0]})" if event.reason else ""
    lines: list[Line] = [((f"  {verdict}{reason}", "good" if approved else "warning"),)]
    for finding in event.findings:
        lines += _finding_lines(finding, "", options)
    for dropped in event.dropped:
        lines += _finding_lines(dropped.finding, f"dropped, {dropped.reason}: ", options)
    return lines


def _finding_lines(finding: ReviewFinding, before: str, options: RenderOptions) -> list[Line]:
    where = f" {finding.file}" if finding.file else ""
    text = f"{finding.severity}{where}: {before}{' '.join(finding.text.split())}"
    return paragraph(text, style="quiet", options=options, most=2, indent="    ")
