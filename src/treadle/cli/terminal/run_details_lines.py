"""The block that `treadle show` prints: all details of one run, and what to do next."""

from collections.abc import Sequence
from datetime import datetime

from treadle.cli.terminal.criteria_lines import criteria_lines
from treadle.cli.terminal.fact_lines import (
    alert_lines,
    command_table,
    fact_lines,
    title_lines,
)
from treadle.cli.terminal.round_history_lines import refusal_lines, review_lines
from treadle.cli.terminal.styled_lines import Line, RenderOptions, Span, paragraph, sentence
from treadle.cli.terminal.table import align_columns
from treadle.domain.run_row import RunRow, StepRow
from treadle.views.duration import duration
from treadle.views.figures import money, pluralize
from treadle.views.next_steps import next_steps_for_row
from treadle.views.outcome_text import outcome_style, outcome_text
from treadle.views.run_details import DeniedToolUse, RunDetails, SessionDetails
from treadle.views.run_facts import detail_facts
from treadle.views.run_state_text import run_title
from treadle.views.style import Style

LISTED_MOST = 20
# Turns, time and cost of a session.
FIGURES = frozenset({3, 4, 5})
MESSAGE_LINES = 6


def run_details_lines(
    row: RunRow,
    details: RunDetails,
    steps: Sequence[StepRow],
    *,
    now: datetime,
    options: RenderOptions,
    session_logs: str = "",
) -> list[Line]:
    """All details of one run; `session_logs`: the folder with a file for each session."""
    state = details.state
    return [
        *title_lines(run_title(row, state, now), options, most=MESSAGE_LINES),
        (),
        *alert_lines(state, options),
        *fact_lines(detail_facts(row, details, now=now, zone=options.zone), options),
        *_section("Deliverables", criteria_lines(state.deliverables, details.checks, options)),
        *_section("Refused claims", refusal_lines(details.rounds, options)),
        *_section("Rounds", review_lines(details.rounds, options)),
        *_section("Sessions", _sessions(details.sessions, alive=row.alive)),
        *_session_logs(session_logs, options),
        *_section("Steps", _steps(steps)),
        *_section("Failed rounds", _failures(details, options)),
        *_section("Denied", _denials(details.denials, options)),
        *_section("Warnings", _warnings(details, options)),
        (),
        *command_table(next_steps_for_row(row, state)),
    ]


def _steps(steps: Sequence[StepRow]) -> list[Line]:
    """The checkpoints: what a run that is cut off now would not repeat."""
    listed: list[list[Span]] = [
        [(step.name, "plain"), (duration(step.took_s), "quiet")] for step in steps[-LISTED_MOST:]
    ]
    lines = align_columns(listed, flush_right=frozenset({1}), indent="  ")
    hidden = len(steps) - LISTED_MOST
    return [((f"  {hidden} earlier ones", "quiet"),), *lines] if hidden > 0 else lines


def _section(title: str, lines: Sequence[Line]) -> list[Line]:
    return [(), ((title, "phase"),), *lines] if lines else []


def _sessions(sessions: Sequence[SessionDetails], *, alive: bool) -> list[Line]:
    cells = [_session(each, "no end recorded") for each in sessions[:-1]]
    cells += [_session(each, "working" if alive else "no end recorded") for each in sessions[-1:]]
    return align_columns(cells, flush_right=FIGURES, indent="  ")


def _session_logs(folder: str, options: RenderOptions) -> list[Line]:
    """Never cut, because one copies it."""
    if not folder:
        return []
    return sentence(f"logs in {folder}", style="quiet", options=options, most=MESSAGE_LINES)


def _session(session: SessionDetails, without_end: str) -> list[Span]:
    start: list[Span] = [
        (f"round {session.round_number}", "plain"),
        (session.role, "plain"),
        (session.model, "quiet"),
    ]
    result = session.result
    if session.resumed:
        start[1] = (f"{session.role}, resumed", "plain")
    if result is None:
        style: Style = "phase" if without_end == "working" else "warning"
        return [*start, ("", "plain"), ("", "plain"), ("", "plain"), (without_end, style)]
    return [
        *start,
        (pluralize(result.turns, "turn"), "quiet"),
        (duration(result.duration_s), "plain"),
        (money(result.cost_usd), "plain"),
        (outcome_text(result.outcome), outcome_style(result.outcome)),
    ]


def _failures(details: RunDetails, options: RenderOptions) -> list[Line]:
    lines: list[Line] = []
    for failure in details.failures[-LISTED_MOST:]:
        text = f"round {failure.number}: {failure.message}"
        lines += paragraph(text, style="plain", options=options, most=MESSAGE_LINES)
    return lines


def _denials(denials: Sequence[DeniedToolUse], options: RenderOptions) -> list[Line]:
    lines: list[Line] = []
    for denial in denials[-LISTED_MOST:]:
        lines.append(((f"  {denial.tool} ", "tool"), (denial.argument, "plain")))
        lines += paragraph(denial.reason, style="quiet", options=options, most=2, indent="    ")
    hidden = len(denials) - LISTED_MOST
    if hidden > 0:
        lines.insert(0, ((f"  {hidden} earlier ones are in the log", "quiet"),))
    return lines


def _warnings(details: RunDetails, options: RenderOptions) -> list[Line]:
    lines: list[Line] = []
    for warning in details.warnings[-LISTED_MOST:]:
        lines += paragraph(warning, style="warning", options=options, most=MESSAGE_LINES)
    return lines
