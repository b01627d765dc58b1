"""The commands a person can type next, chosen from the state of a run. Pure."""

from collections.abc import Iterator

from treadle.domain.exit_reasons import ExitReason
from treadle.domain.ids import RunId, short_id
from treadle.domain.run_row import RunRow
from treadle.views.deliverable_view import DeliverableView, has_evidence
from treadle.views.log_state import LogState
from treadle.views.queue_summary import waiting_commands
from treadle.views.workflow_labels import is_queue, is_queue_of_increments

# The ends of a run that could not continue without help.
NEEDS_HELP: frozenset[ExitReason] = frozenset(
    {"stuck", "max_iterations", "budget_exceeded", "time_exceeded"}
)

# For a run whose limits are unknown: twice the usual ones.
MORE_ROUNDS, MORE_USD, MORE_MINUTES = 200, 40.0, 960.0

# A command and what it is for.
Command = tuple[str, str]

# Of a queue of increments; a backlog keeps what is left in files.
_INCREMENTS_LEFT: tuple[Command, ...] = (
    ("treadle report {id}", "the result of each increment"),
    ("treadle retry {id}", "starts what failed or was skipped again"),
    ("treadle resume {id}", "continues without what failed"),
)
# Its items have the commits.
_UNCLEAR_IN_QUEUE: tuple[Command, ...] = (
    ("treadle discuss", "what is unclear"),
    ("treadle resume {id}", "continues once that is settled"),
)

# `{id}` is the run's short id, `{workflow}` its workflow; the others are twice its limits.
NEXT_COMMANDS: dict[ExitReason, tuple[Command, ...]] = {
    "all_passed": (("treadle diff {id}", "what changed"),),
    "approved": (("treadle diff {id}", "what changed"),),
    "synced": (("treadle status", "the deliverables now"),),
    "queue_done": (("treadle report {id}", "the result of each item"),),
    "audited": (("treadle discuss", "what it found"),),
    "planned": (("treadle watch", "works through the backlog"),),
    "items_left": (("ls .treadle/backlog", "what is left, and why"),),
    "spec_issue": (
        ("treadle discuss", "what is unclear"),
        ("treadle diff {id}", "what was done so far"),
    ),
    "plan_denied": (("treadle show {id} --plan", "the plan that was denied"),),
    "tests_failed": (
        ("treadle diff {id}", "what was done so far"),
        ("treadle retry {id}", "tries to fix them again"),
    ),
    "unproven": (
        ("treadle diff {id}", "what was done so far"),
        ("treadle land {id}", "accepts it as it is"),
    ),
    "all_blocked": (
        ("treadle logs {id}", "what blocked it"),
        ("treadle retry {id}", "after you have fixed that"),
    ),
    "interrupted": (("treadle resume {id}", "continues where it stopped"),),
    "cancelled": (("treadle resume {id}", "continues it"),),
    "authentication": (
        ("treadle doctor --online", "which login is used, how to renew it"),
        ("treadle resume {id}", "continues once the login works"),
    ),
    "quota_exceeded": (("treadle resume {id} --wait-for-quota", "waits for the reset"),),
    "service_unavailable": (("treadle resume {id}", "continues, and waits again if needed"),),
    "budget_exceeded": (("treadle resume {id} --max-cost {usd:g}", "with a higher budget"),),
    "time_exceeded": (("treadle resume {id} --max-minutes {minutes:g}", "with more time"),),
    "max_iterations": (("treadle resume {id} -n {rounds}", "with more rounds"),),
    "max_retries_exceeded": (
        ("treadle logs {id}", "what failed"),
        ("treadle retry {id}", "tries again"),
    ),
    "stuck": (
        ("treadle logs {id}", "what it kept trying"),
        ("treadle retry {id}", "best with a clearer SPEC.md"),
    ),
    "hung": (
        ("treadle logs {id}", "where it hung"),
        ("treadle retry {id}", "tries again"),
    ),
    "setup_failed": (
        ("treadle doctor --setup", "try the commands until they work"),
        ("treadle {workflow}", "after you have corrected them"),
    ),
    "sandbox_error": (
        ("treadle doctor", "what is wrong with it, and the fix"),
        ("treadle resume {id}", "continues once it works"),
    ),
    "unguarded_tool": (("treadle logs {id}", "what it did"),),
    "error": (
        ("treadle logs {id}", "what failed"),
        ("treadle doctor", "check this machine and this project"),
    ),
}


def next_steps(reason: ExitReason, run: RunId, state: LogState) -> tuple[Command, ...]:
    """The commands after an end: first for what the run itself could not do."""
    steps = (*_steps_for_pending(reason, state), *_steps_for_reason(reason, run, state))
    if has_evidence(state.deliverables):
        steps = (*steps, (f"treadle verify {short_id(run)}", "runs its checks again"))
    return (*steps, (f"treadle show {short_id(run)}", "details of this run"))


def next_steps_for_row(row: RunRow, state: LogState) -> tuple[Command, ...]:
    """The commands for a run in any state, for somebody who sees its details already."""
    name = short_id(row.id)
    if state.result is not None:
        steps = next_steps(state.result.reason, row.id, state)[:-1]
        logs = (f"treadle logs {name}", "what happened")
        return steps if any(command == logs[0] for command, _ in steps) else (*steps, logs)
    if row.cleaned_at:
        return (("treadle ls", "the other runs"),)
    if commands := waiting_commands(state.queue, name):
        return tuple((command, "what it waits for") for command in commands)
    if row.state == "waiting" and not is_queue(row.workflow):
        return (("treadle approvals", "what it asks, and how to answer"),)
    if row.state == "queued":
        step = (f"treadle resume {name} --detach", "run this where the login is")
        return (step if row.waiting_for else ("treadle worker", "executes queued runs"),)
    if row.alive:
        return ((f"treadle logs {name} -f", "watch it"),)
    return ((f"treadle resume {name}", "continues where it stopped"),)


def _steps_for_reason(reason: ExitReason, run: RunId, state: LogState) -> tuple[Command, ...]:
    started = state.started
    workflow = "deliver" if started is None else started.workflow
    limits = None if started is None else started.limits
    values = {
        "id": short_id(run),
        "workflow": workflow,
        "rounds": 2 * limits.max_iterations if limits else MORE_ROUNDS,
        "usd": 2 * limits.max_cost_usd if limits else MORE_USD,
        "minutes": 2 * limits.max_minutes if limits else MORE_MINUTES,
    }
    commands = NEXT_COMMANDS.get(reason, ())
    if reason == "items_left" and is_queue_of_increments(workflow):
        commands = _INCREMENTS_LEFT
    if reason == "spec_issue" and is_queue(workflow):
        commands = _UNCLEAR_IN_QUEUE
    return tuple((command.format(**values), purpose) for command, purpose in commands)


def _steps_for_pending(reason: ExitReason, state: LogState) -> tuple[Command, ...]:
    pending = [each for each in state.deliverables if each.status == "pending"]
    if reason == "synced" and pending:
        return (("treadle deliver", "works on what is pending"),)
    if reason not in NEEDS_HELP:
        return ()
    refused = (each for each in pending if each.id in state.verified.unchecked)
    wanted = [(each.id, number) for each in refused for number in _unchecked_criteria(each)]
    if not wanted:
        return ()
    name, number = wanted[0]
    more = f" and {len(wanted) - 1} more" if len(wanted) > 1 else ""
    return (("treadle check list", f"criterion {number} of {name}{more} needs a check"),)


def _unchecked_criteria(deliverable: DeliverableView) -> Iterator[int]:
    checked = {check.criterion for check in deliverable.checks}
    for number, criterion in enumerate(deliverable.criteria, 1):
        if criterion not in checked:
            yield number
