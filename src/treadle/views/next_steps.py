"""The commands a person can type next, chosen from the state of a run. Pure."""

from collections.abc import Iterator

from treadle.domain.exit_reasons import ExitReason
from treadle.domain.ids import RunId, short_id
from treadle.domain.run_row import RunRow
from treadle.views.deliverable_view import DeliverableView, has_evidence
from treadle.views.log_state import LogState

# The criteria that are named at most: whoever adds these checks knows how to add the others.
MOST_CRITERIA = 3
# The ends of a run that could not continue without help.
NEEDS_HELP: frozenset[ExitReason] = frozenset(
    {"stuck", "max_iterations", "budget_exceeded", "time_exceeded"}
)

# A command and what it is for.
Command = tuple[str, str]

# `{id}` is the run's short id, `{workflow}` its workflow.
NEXT_COMMANDS: dict[ExitReason, tuple[Command, ...]] = {
    "all_passed": (("treadle diff {id}", "what changed"),),
    "approved": (("treadle diff {id}", "what changed"),),
    "synced": (("treadle status", "how the deliverables stand now"),),
    "spec_issue": (
        ("ls .treadle/spec-issues", "what is unclear"),
        ("treadle diff {id}", "what was done so far; a new run starts from the settled specs"),
    ),
    "plan_denied": (("treadle show {id} --plan", "the plan that was denied"),),
    "tests_failed": (
        ("treadle diff {id}", "what was done so far"),
        ("treadle retry {id}", "tries to mend them again"),
    ),
    "unproven": (
        ("treadle diff {id}", "what was done so far"),
        ("treadle land {id}", "takes it over as it is"),
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
    "service_unavailable": (("treadle resume {id}", "goes on, and waits again if it must"),),
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
    "setup_failed": (
        ("treadle doctor --setup", "try the commands until they work"),
        ("treadle {workflow}", "starts again with corrected commands; nothing was spent"),
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


def next_steps(reason: ExitReason, run: RunId, state: LogState) -> tuple[Command, ...]:
    """The commands after an end: first for what the run itself could not do."""
    steps = (*_steps_for_pending(reason, state), *_steps_for_reason(reason, run, state))
    if has_evidence(state.deliverables):
        steps = (*steps, (f"treadle verify {short_id(run)}", "runs its checks once more"))
    return (*steps, (f"treadle show {short_id(run)}", "all about this run"))


def next_steps_for_row(row: RunRow, state: LogState) -> tuple[Command, ...]:
    """The commands for a run in any state, for somebody who sees its details already."""
    name = short_id(row.id)
    if state.result is not None:
        steps = next_steps(state.result.reason, row.id, state)[:-1]
        logs = (f"treadle logs {name}", "what happened")
        return steps if any(command == logs[0] for command, _ in steps) else (*steps, logs)
    if row.cleaned_at:
        return (("treadle ls", "the other runs"),)
    if row.state == "waiting":
        return (("treadle approvals", "what it asks, and how to answer"),)
    if row.state == "queued":
        step = (f"treadle resume {name} --detach", "in a shell with its login")
        return (step if row.waiting_for else ("treadle worker", "works on what is queued"),)
    if row.alive:
        return ((f"treadle logs {name} -f", "watch it"),)
    return ((f"treadle resume {name}", "goes on where it was"),)


def _steps_for_reason(reason: ExitReason, run: RunId, state: LogState) -> tuple[Command, ...]:
    workflow = "deliver" if state.started is None else state.started.workflow
    return tuple(
        (command.format(id=short_id(run), workflow=workflow), purpose)
        for command, purpose in NEXT_COMMANDS.get(reason, ())
    )


def _steps_for_pending(reason: ExitReason, state: LogState) -> tuple[Command, ...]:
    pending = [each for each in state.deliverables if each.status == "pending"]
    if reason == "synced" and pending:
        return (("treadle deliver", "works on what is pending"),)
    if reason not in NEEDS_HELP:
        return ()
    refused = (each for each in pending if each.id in state.verified.unchecked)
    wanted = [(each.id, number) for each in refused for number in _unchecked_criteria(each)]
    return tuple(
        (f"treadle check add {name} {number} -- …", "it cannot pass without one")
        for name, number in wanted[:MOST_CRITERIA]
    )


def _unchecked_criteria(deliverable: DeliverableView) -> Iterator[int]:
    checked = {check.criterion for check in deliverable.checks}
    for number, criterion in enumerate(deliverable.criteria, 1):
        if criterion not in checked:
            yield number
