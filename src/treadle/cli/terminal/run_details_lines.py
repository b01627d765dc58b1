"""The block that `treadle show` prints: all details of one run, and what to do next."""

from collections.abc import Sequence
from datetime import datetime

from treadle.cli.terminal.criteria_lines import criteria_lines
from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.round_history_lines import refusal_lines, review_lines
from treadle.cli.terminal.run_table import run_time_s, state_style, state_text
from treadle.cli.terminal.styled_lines import Line, RenderOptions, Span, paragraph
from treadle.cli.terminal.summary import (
    command_table,
    evidence_file_lines,
    fact_line,
    open_issue_facts,
    suite_facts,
    tally_facts,
    work_facts,
)
from treadle.cli.terminal.table import align_columns
from treadle.domain.deliverable import Tally
from treadle.domain.ids import short_id
from treadle.domain.limits import RunLimits
from treadle.domain.run_row import RunRow, StepRow
from treadle.views.duration import ago, clock_time, duration
from treadle.views.figures import money, pluralize
from treadle.views.next_steps import next_steps
from treadle.views.outcome_text import (
    headline,
    headline_style,
    limits_text,
    outcome_style,
    outcome_text,
)
from treadle.views.run_details import DeniedToolUse, RunDetails, SessionDetails

LISTED_MOST = 20
# Turns, time and cost of a session.
FIGURES = frozenset({3, 4, 5})
MESSAGE_LINES = 6


def run_details_lines(
    row: RunRow,
    account: RunDetails,
    steps: Sequence[StepRow],
    *,
    now: datetime,
    view: RenderOptions,
) -> list[Line]:
    """Everything about one run."""
    return [
        *_title(row, account, now, view),
        (),
        *evidence_file_lines(account.state),
        *_facts(row, account, now, view),
        *work_facts(account.state, view),
        *_section("Deliverables", _deliverables(account, view)),
        *_section("Refused claims", refusal_lines(account.rounds, view)),
        *_section("Rounds", review_lines(account.rounds, view)),
        *_section("Sessions", _sessions(account.sessions)),
        *_section("Steps", _steps(steps)),
        *_section("Failed rounds", _failures(account, view)),
        *_section("Denied", _denials(account.denials, view)),
        *_section("Warnings", _warnings(account, view)),
        (),
        *_next(row, account),
    ]


def _title(row: RunRow, account: RunDetails, now: datetime, view: RenderOptions) -> list[Line]:
    result = account.state.result
    if result is not None:
        mark, style = headline_style(result.reason)
        first: Line = ((f"{mark} {headline(result)}", style), (f" ({result.reason})", "quiet"))
        return [first, *paragraph(result.message, style="plain", view=view, most=MESSAGE_LINES)]
    if row.cleaned_at:
        return [((f"Ended ({row.reason}); its log and files were cleaned away", "quiet"),)]
    if row.alive or row.state == "queued":
        return [((_state_text(row, account, now), state_style(row)),)]
    return [
        (("✘ Lost: the process of this run is gone and it has no end in the log", "bad"),),
        (("  What was committed is safe in the run's own clone.", "plain"),),
    ]


def _state_text(row: RunRow, account: RunDetails, now: datetime) -> str:
    match row.state:
        case "paused":
            return f"Paused: {row.waiting_for} ({state_text(row, now)})"
        case "waiting":
            return f"Waiting for an answer: {row.waiting_for}"
        case "queued":
            return "Queued: a worker takes it when there is one"
        case _:
            return f"Running: round {row.rounds}, {account.state.phase}"


def _facts(row: RunRow, account: RunDetails, now: datetime, view: RenderOptions) -> list[Line]:
    begun = datetime.fromisoformat(row.started_at)
    result = account.state.result
    seconds = _running_s(row, account, now) if result is None else result.duration_s
    used_s = seconds or sum(s.result.duration_s for s in account.sessions if s.result)
    started = account.state.started
    when = f"{begun.astimezone(view.zone):%Y-%m-%d %H:%M} ({ago(begun, now)})"
    lines = [
        fact_line("run", row.id),
        fact_line("project", row.project_path),
        fact_line("started", when),
        *tally_facts(Tally(row.passed, row.blocked, row.total), account.state),
        *suite_facts(account.state, view),
        *open_issue_facts(account.state),
        fact_line("rounds", str(row.rounds)),
        fact_line("cost", money(account.state.cost_usd if result is None else result.cost_usd)),
        fact_line("time", "unknown" if seconds is None else duration(seconds)),
    ]
    if started is not None:
        retries = f"{started.limits.max_retries} retries in a row"
        lines.append(fact_line("limits", f"{limits_text(started.limits)}, {retries}"))
        lines.append(fact_line("left", _left(row, account, used_s, started.limits)))
        lines.append(fact_line("models", f"{started.model} codes, {started.plan_model} plans"))
        style: Style = "warning" if started.sandbox == "unsandboxed" else "plain"
        lines.append(fact_line("sandbox", started.sandbox, style))
        if started.rehearsal:
            lines.append(fact_line("rehearsal", "the model was a script", "signal"))
    return lines + [
        fact_line(
            "paused", f"until {clock_time(pause.until, now=now, zone=view.zone)}: {pause.reason}"
        )
        for pause in account.pauses[-1:]
    ]


def _running_s(row: RunRow, account: RunDetails, now: datetime) -> float | None:
    """Without the pauses, as the limit counts; nobody knows when a lost run stopped."""
    return None if run_time_s(row, now) is None else account.state.elapsed_s(now)


def _left(row: RunRow, account: RunDetails, seconds: float, limits: RunLimits) -> str:
    """What the run may still use, as `resume` would let it."""
    result = account.state.result
    spent = account.state.cost_usd if result is None else result.cost_usd
    usd = max(0.0, limits.max_cost_usd - spent)
    time_s = max(0.0, limits.max_minutes * 60 - seconds)
    rounds = pluralize(max(0, limits.max_iterations - row.rounds), "round")
    return f"{money(usd)}, {duration(time_s)}, {rounds}"


def _steps(steps: Sequence[StepRow]) -> list[Line]:
    """The checkpoints: what a run that is cut off now would not do again."""
    listed: list[list[Span]] = [
        [(step.name, "plain"), (duration(step.took_s), "quiet")] for step in steps[-LISTED_MOST:]
    ]
    lines = align_columns(listed, flush_right=frozenset({1}), indent="  ")
    hidden = len(steps) - LISTED_MOST
    return [((f"  {hidden} earlier ones", "quiet"),), *lines] if hidden > 0 else lines


def _section(title: str, lines: Sequence[Line]) -> list[Line]:
    return [(), ((title, "phase"),), *lines] if lines else []


def _deliverables(account: RunDetails, view: RenderOptions) -> list[Line]:
    return criteria_lines(account.state.deliverables, account.checks, view)


def _sessions(sessions: Sequence[SessionDetails]) -> list[Line]:
    return align_columns([_session(each) for each in sessions], flush_right=FIGURES, indent="  ")


def _session(session: SessionDetails) -> list[Span]:
    begun: list[Span] = [
        (f"round {session.round_number}", "plain"),
        (session.role, "plain"),
        (session.model, "quiet"),
    ]
    result = session.result
    if session.resumed:
        begun[1] = (f"{session.role}, resumed", "plain")
    if result is None:
        return [*begun, ("", "plain"), ("", "plain"), ("", "plain"), ("no end recorded", "warning")]
    return [
        *begun,
        (pluralize(result.turns, "turn"), "quiet"),
        (duration(result.duration_s), "plain"),
        (money(result.cost_usd), "plain"),
        (outcome_text(result.outcome), outcome_style(result.outcome)),
    ]


def _failures(account: RunDetails, view: RenderOptions) -> list[Line]:
    lines: list[Line] = []
    for failure in account.failures[-LISTED_MOST:]:
        text = f"round {failure.number}: {failure.message}"
        lines += paragraph(text, style="plain", view=view, most=MESSAGE_LINES)
    return lines


def _denials(denials: Sequence[DeniedToolUse], view: RenderOptions) -> list[Line]:
    lines: list[Line] = []
    for denial in denials[-LISTED_MOST:]:
        lines.append(((f"  {denial.tool} ", "tool"), (denial.argument, "plain")))
        lines += paragraph(denial.reason, style="quiet", view=view, most=2, indent="    ")
    hidden = len(denials) - LISTED_MOST
    if hidden > 0:
        lines.insert(0, ((f"  {hidden} earlier ones are in the log", "quiet"),))
    return lines


def _warnings(account: RunDetails, view: RenderOptions) -> list[Line]:
    lines: list[Line] = []
    for warning in account.warnings[-LISTED_MOST:]:
        lines += paragraph(warning, style="warning", view=view, most=MESSAGE_LINES)
    return lines


def _next(row: RunRow, account: RunDetails) -> list[Line]:
    name = short_id(row.id)
    if account.state.result is not None:
        own = next_steps(account.state.result.reason, row.id, account.state)[:-1]
        logs = (f"treadle logs {name}", "what happened")
        return command_table(own if any(c == logs[0] for c, _ in own) else (*own, logs))
    if row.cleaned_at:
        return command_table((("treadle ls", "the other runs"),))
    if row.state == "waiting":
        return command_table((("treadle approvals", "what it asks, and how to answer"),))
    if row.state == "queued":
        return command_table((("treadle worker", "works on what is queued"),))
    if row.alive:
        return command_table(((f"treadle logs {name} -f", "watch it"),))
    return command_table(((f"treadle resume {name}", "goes on where it was"),))
