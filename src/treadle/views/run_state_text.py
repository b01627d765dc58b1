"""The state of a run in words, from its log: its title, its phase, the tool that runs. Pure."""

from datetime import datetime, tzinfo

from treadle.domain.approval import Approval
from treadle.domain.run_row import RunRow
from treadle.views.duration import clock_time, duration
from treadle.views.log_state import LogState
from treadle.views.outcome_text import RunTitle, result_title
from treadle.views.run_row_text import STATE_STYLES, state_sentence, state_text
from treadle.views.style import Style

SLOW_TOOL_S = 10


def run_title(row: RunRow, state: LogState, now: datetime) -> RunTitle:
    """How the run ended, or its state while it has not."""
    if state.result is not None:
        return result_title(state.result)
    if row.cleaned_at:
        return RunTitle(
            f"Ended: {state_text(row, now)}. Its log and files were cleaned away", "quiet"
        )
    if row.alive or row.state == "queued":
        text = state_sentence(row, phase=state.phase, now=now)
        return RunTitle(text, STATE_STYLES[row.state])
    return RunTitle(
        "✘ Lost: the process of this run is gone",
        "bad",
        note="Committed work is safe in the run's clone.",
    )


def phase_text(state: LogState, *, now: datetime, zone: tzinfo | None) -> tuple[str, Style]:
    """`round 2/100 · coding`, or that the run stops, or until when it waits."""
    if state.stopping:
        return "stopping: saving the work so far", "warning"
    if state.question is not None:
        return question_text(state.question, now=now), "signal"
    if state.paused is not None:
        until = state.paused.until
        when = clock_time(until, now=now, zone=zone)
        left = duration((until - now).total_seconds())
        return f"paused until {when}, {left} left", "warning"
    if state.published.following is not None:
        when = clock_time(state.published.following.until, now=now, zone=zone)
        return f"following the pull request until {when}", "quiet"
    if state.queue.waiting is not None:
        needs_person = state.queue.waiting.needs_person
        return ("waiting for you", "signal") if needs_person else ("waiting", "quiet")
    if not state.round_number or state.started is None:
        return state.phase, "phase"
    most = state.started.limits.max_iterations
    return f"round {state.round_number}/{most} · {state.phase}", "phase"


def question_text(question: Approval, *, now: datetime) -> str:
    """`waiting for your answer, 19m 58s left`."""
    if question.deadline is None:
        return "waiting for your answer"
    left = duration((question.deadline - now).total_seconds())
    return f"waiting for your answer, {left} left"


def tool_text(state: LogState, *, now: datetime) -> str:
    """The last tool call without a result, with its time if that is long; empty without one."""
    if not state.tools.pending or state.stopping or state.paused is not None:
        return ""
    tool = state.tools.pending[-1]
    seconds = (now - tool.since).total_seconds()
    # The time comes before the argument: the end of a long command may be cut.
    since = f" ({duration(seconds)})" if seconds >= SLOW_TOOL_S else ""
    return f"{tool.title}{since} {tool.argument}"
