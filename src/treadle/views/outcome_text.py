"""How a session or a run ended, in words. Pure."""

from dataclasses import dataclass
from typing import assert_never

from treadle.domain.exit_reasons import DONE, END_REASONS, ExitReason, exit_code
from treadle.domain.limits import RunLimits
from treadle.domain.run import RunResult
from treadle.domain.session import (
    BudgetExceeded,
    Cancelled,
    Completed,
    Crashed,
    ExecutionError,
    MaxTurns,
    Outcome,
    QuotaExceeded,
    SandboxError,
    TimedOut,
    TimeLimit,
    UnguardedTool,
)
from treadle.views.duration import duration
from treadle.views.figures import money, pluralize
from treadle.views.style import Style

TIME_LIMITS: dict[TimeLimit, str] = {
    "first_byte": "the model did not start to answer",
    "idle": "the agent gave no output",
    "tool": "a tool did not finish",
    "wall": "the session took too long",
}

_FAILURES: frozenset[ExitReason] = frozenset(
    {
        "authentication",
        "error",
        "hung",
        "max_retries_exceeded",
        "sandbox_error",
        "service_unavailable",
        "setup_failed",
        "stuck",
        "tests_failed",
        "unguarded_tool",
    }
)


@dataclass(frozen=True, slots=True)
class RunTitle:
    """The first line about a run, and what is shown below it."""

    text: str
    style: Style
    # Text of any length that the run ended with.
    message: str = ""
    # A sentence of our own.
    note: str = ""


def result_title(result: RunResult) -> RunTitle:
    """How the run ended, with its mark."""
    mark, style = headline_style(result.reason)
    return RunTitle(f"{mark} {headline(result)}", style, result.message)


def headline(result: RunResult) -> str:
    """The first line of a summary: how the run ended."""
    if result.reason == "all_passed" and result.tally.blocked:
        return f"Done: everything possible passed, {result.tally.blocked} blocked"
    return END_REASONS[result.reason].headline


def headline_style(reason: ExitReason) -> tuple[str, Style]:
    """The mark before the headline, and its style."""
    if exit_code(reason) == DONE:
        return "✔", "good"
    return ("✘", "bad") if reason in _FAILURES else ("!", "warning")


def limits_text(limits: RunLimits) -> str:
    """`up to $20.00, 8h, 100 rounds`."""
    rounds = pluralize(limits.max_iterations, "round")
    return f"up to {money(limits.max_cost_usd)}, {duration(limits.max_minutes * 60)}, {rounds}"


def outcome_text(outcome: Outcome) -> str:
    """How a session ended, in a few words."""
    match outcome:
        case Completed():
            return "completed"
        case ExecutionError():
            return "failed"
        case MaxTurns():
            return f"stopped at its limit of {pluralize(outcome.turns, 'turn')}"
        case BudgetExceeded():
            return f"stopped at its cost limit of {money(outcome.limit_usd)}"
        case QuotaExceeded() | Crashed() | TimedOut() | Cancelled():
            return _cut_short_text(outcome)
        case SandboxError():
            return "did not start: the sandbox failed its check"
        case UnguardedTool():
            return f"was ended: it used {outcome.tool} without asking"
        case _:
            assert_never(outcome)


def _cut_short_text(outcome: QuotaExceeded | Crashed | TimedOut | Cancelled) -> str:
    match outcome:
        case QuotaExceeded():
            return "stopped by the provider's quota"
        case Crashed():
            code = "" if outcome.exit_code is None else f" with exit code {outcome.exit_code}"
            return f"lost its process{code}"
        case TimedOut():
            return f"timed out after {duration(outcome.after_s)}: {TIME_LIMITS[outcome.limit]}"
        case Cancelled():
            return "cancelled"
        case _:
            assert_never(outcome)


def outcome_message(outcome: Outcome) -> str:
    """The message of the agent or the service, if there is one."""
    return outcome.message if isinstance(outcome, ExecutionError | QuotaExceeded | Crashed) else ""


def outcome_style(outcome: Outcome) -> Style:
    """Good if the agent finished, bad for a failure, a warning for a limit or a person."""
    if isinstance(outcome, Completed):
        return "good"
    return "bad" if isinstance(outcome, ExecutionError | Crashed | TimedOut) else "warning"
