"""The block that ends a run: outcome, cost, where the work is, what to type next."""

from treadle.cli.terminal.deliverable_line import deliverable_lines
from treadle.cli.terminal.fact_lines import (
    alert_lines,
    command_table,
    fact_line,
    fact_lines,
    title_lines,
)
from treadle.cli.terminal.styled_lines import Line, RenderOptions
from treadle.domain.ids import short_id
from treadle.domain.run import RunResult
from treadle.views.deliverable_view import order_by_attention
from treadle.views.log_state import LogState
from treadle.views.next_steps import next_steps
from treadle.views.outcome_text import result_title
from treadle.views.run_facts import summary_facts

DELIVERABLES_MOST = 10
MESSAGE_LINES = 4
# The lines that name the cause of a failed setup, and what to try.
SETUP_LINES = 14


def summary(result: RunResult, state: LogState, options: RenderOptions) -> list[Line]:
    """The result, and the state that the events before it add up to."""
    return [
        (),
        (("─" * options.width, "quiet"),),
        *title_lines(result_title(result), options, most=_message_lines(result)),
        (),
        *alert_lines(state, options),
        *_deliverable_lines(state, options),
        *fact_lines(summary_facts(result, state), options),
        *_next_lines(result, state, options),
    ]


def _message_lines(result: RunResult) -> int:
    return SETUP_LINES if result.reason == "setup_failed" else MESSAGE_LINES


def _deliverable_lines(state: LogState, options: RenderOptions) -> list[Line]:
    """The deliverables by name; those that are proven are left out first."""
    ordered = order_by_attention(state.deliverables)
    if not ordered:
        return []
    shown = ordered[:DELIVERABLES_MOST]
    lines = [line for each in shown for line in deliverable_lines(each, options)]
    hidden = len(ordered) - DELIVERABLES_MOST
    if hidden > 0:
        lines.append(((f"  … {hidden} more", "quiet"),))
    return [*lines, ()]


def _next_lines(result: RunResult, state: LogState, options: RenderOptions) -> list[Line]:
    if state.started is None or options.advice == "left out":
        return []
    run = state.started.run
    return [
        fact_line("run", short_id(run)),
        (),
        *command_table(next_steps(result.reason, run, state)),
    ]
