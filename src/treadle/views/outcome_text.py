"""How a session or a run ended, in words, and the commands to type next. Pure."""

from typing import assert_never

from treadle.cli.terminal.palette import Style
from treadle.domain.exit_codes import DONE, exit_code
from treadle.domain.ids import RunId, short_id
from treadle.domain.limits import RunLimits
from treadle.domain.run import ExitReason, RunResult
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

TIME_LIMITS: dict[TimeLimit, str] = {
    "first_byte": "the model did not begin to answer",
    "idle": "the agent gave no sign of life",
    "tool": "a tool did not finish",
    "wall": "the session took too long",
}

HEADLINES: dict[ExitReason, str] = {
    "all_passed": "Done: every deliverable passed",
    "approved": "Done: the review approved the work",
    "synced": "Done: every deliverable was judged anew",
    "all_blocked": "Stopped: every deliverable is blocked",
    "spec_issue": "Stopped: the specification needs a person",
    "tests_failed": "Stopped: the tests do not pass",
    "interrupted": "Interrupted",
    "cancelled": "Cancelled",
    "authentication": "Stopped: the agent has no valid login",
    "quota_exceeded": "Stopped: the provider's usage quota is spent",
    "budget_exceeded": "Stopped at the cost limit",
    "time_exceeded": "Stopped at the time limit",
    "max_iterations": "Stopped at the limit of rounds",
    "max_retries_exceeded": "Gave up: too many rounds failed in a row",
    "stuck": "Stopped: it was getting nowhere",
    "hung": "Stopped: sessions kept hanging",
    "sandbox_error": "Stopped: the sandbox does not hold",
    "unguarded_tool": "Stopped: the agent used a tool without asking",
    "error": "Failed",
}

_FAILURES: frozenset[ExitReason] = frozenset(
    {
        "authentication",
        "error",
        "hung",
        "max_retries_exceeded",
        "sandbox_error",
        "stuck",
        "tests_failed",
        "unguarded_tool",
    }
)

# What one can do about it and what that does; `{id}` is the run's short id.
NEXT_COMMANDS: dict[ExitReason, tuple[tuple[str, str], ...]] = {
    "all_passed": (("treadle diff {id}", "what changed"),),
    "approved": (("treadle diff {id}", "what changed"),),
    "synced": (("treadle status", "how the deliverables stand now"),),
    "spec_issue": (
        ("ls .treadle/spec-issues", "what is unclear"),
        ("treadle diff {id}", "what was done so far; a new run starts from the settled specs"),
    ),
    "tests_failed": (
        ("treadle diff {id}", "what was done so far"),
        ("treadle retry {id}", "tries to mend them again"),
    ),
    "all_blocked": (
        ("treadle logs {id}", "what it was blocked by"),
        ("treadle retry {id}", "once that is out of the way"),
    ),
    "interrupted": (("treadle resume {id}", "goes on where it was"),),
    "cancelled": (("treadle resume {id}", "goes on after all"),),
    "authentication": (
        ("claude /login", "log the agent in"),
        ("treadle doctor", "see whether it worked"),
    ),
    "quota_exceeded": (("treadle resume {id} --wait-for-quota", "sleeps until then"),),
    "budget_exceeded": (("treadle resume {id} --max-cost USD", "goes on with more money"),),
    "time_exceeded": (("treadle resume {id} --max-minutes N", "goes on with more time"),),
    "max_iterations": (("treadle resume {id} -n N", "goes on with more rounds"),),
    "max_retries_exceeded": (
        ("treadle logs {id}", "what failed"),
        ("treadle retry {id}", "tries again"),
    ),
    "stuck": (
        ("treadle logs {id}", "what it kept trying"),
        ("treadle retry {id}", "tries again, best with a clearer SPEC.md"),
    ),
    "hung": (
        ("treadle logs {id}", "where it hung"),
        ("treadle retry {id}", "tries again"),
    ),
    "sandbox_error": (
        ("treadle doctor", "what is wrong with it, and the remedy"),
        ("treadle resume {id}", "goes on once it holds"),
    ),
    "unguarded_tool": (("treadle logs {id}", "what it did"),),
    "error": (
        ("treadle logs {id}", "what failed"),
        ("treadle doctor", "check this machine and this project"),
    ),
}


def headline(result: RunResult) -> str:
    """The first line of a summary: how the run ended."""
    if result.reason == "all_passed" and result.tally.blocked:
        return f"Done: all that can be done passed, {result.tally.blocked} blocked"
    return HEADLINES[result.reason]


def headline_style(reason: ExitReason) -> tuple[str, Style]:
    """The mark before the headline, and its colour."""
    if exit_code(reason) == DONE:
        return "✔", "good"
    return ("✘", "bad") if reason in _FAILURES else ("!", "warning")


def next_commands(
    reason: ExitReason, run: RunId, *, proven: int = 0
) -> tuple[tuple[str, str], ...]:
    """Commands worth typing now with what each is for, the most useful first."""
    own = tuple(
        (command.format(id=short_id(run)), purpose) for command, purpose in NEXT_COMMANDS[reason]
    )
    if proven:
        own = (*own, (f"treadle verify {short_id(run)}", "runs what was proven once more"))
    return (*own, (f"treadle show {short_id(run)}", "all about this run"))


def limits_text(limits: RunLimits) -> str:
    """`up to $20.00, 8h, 100 rounds`."""
    rounds = pluralize(limits.max_iterations, "round")
    return f"up to {money(limits.max_cost_usd)}, {duration(limits.max_minutes * 60)}, {rounds}"


def outcome_text(outcome: Outcome) -> str:
    """How a session ended, in a few words that start a line."""
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
            return "was not started: the sandbox does not hold"
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
    """What the agent or the service said about it, if anything."""
    return outcome.message if isinstance(outcome, ExecutionError | QuotaExceeded | Crashed) else ""


def outcome_style(outcome: Outcome) -> Style:
    """Green for an end the agent chose, red for a failure, yellow for a limit or a person."""
    if isinstance(outcome, Completed):
        return "good"
    return "bad" if isinstance(outcome, ExecutionError | Crashed | TimedOut) else "warning"
