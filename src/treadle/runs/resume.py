"""Continues a run: one that lost its process in the same leg, one that ended in a new leg."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from treadle.adapters.clock import SystemClock
from treadle.adapters.stores.control_requests import ControlRequests
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.recorder import Recorder
from treadle.domain.errors import UsageError
from treadle.domain.events.run import RunReopened
from treadle.domain.ids import RunId, short_id
from treadle.domain.limits import RunLimits
from treadle.domain.run import RunResult
from treadle.domain.run_request import RunRequest
from treadle.domain.run_row import RunRow
from treadle.domain.stored_path import path_from
from treadle.runs.engine_names import engine_location, leg_name, own_queue, worker_queue
from treadle.runs.locks import lock_run
from treadle.runs.rehearsal_model import with_model
from treadle.runs.request import check_request, with_variables
from treadle.runs.request_json import read_request, store_request
from treadle.runs.sandbox_probe import probe_before
from treadle.runs.shell_environment import with_shell_environment
from treadle.runs.start import execute_in_foreground
from treadle.runs.work_log import read_work_log
from treadle.runs.worker_queue import enqueue_leg, ensure_worker
from treadle.settings.environment import Environment
from treadle.wiring.checked_request import CheckedRequest, RunHost
from treadle.wiring.limits import run_limits
from treadle.workflows.loop.run_history import RunHistory, read_history
from treadle.workflows.registry import find_workflow


@dataclass(frozen=True, slots=True)
class ResumeRequest:
    """The run to continue, and its new options."""

    row: RunRow
    by: Literal["resume", "retry"]
    flags: Mapping[str, Any]
    no_sandbox: bool


async def resume(resumption: ResumeRequest, host: RunHost) -> RunResult:
    """Continue the run in this process; if another version began its leg, in a new leg."""
    result = await _resume_leg(resumption, host)
    return await _resume_leg(resumption, host) if result.outdated else result


async def _resume_leg(resumption: ResumeRequest, host: RunHost) -> RunResult:
    _refuse_live_or_cleaned(resumption)
    root, row = host.environment.root, resumption.row
    with _lock(root, row):
        checked, history = await _checked(resumption, host)
        with with_model(checked.request, host) as host_with_model:
            _claim(checked, queue=own_queue(row.id))
            _reopen(resumption, checked, history)
            return await execute_in_foreground(replace(checked, host=host_with_model))


def _lock(root: Path, row: RunRow) -> AbstractContextManager[None]:
    place = find_workflow(row.workflow).place
    return lock_run(root, row.project_key, row.id, path_from(row.project_path), place)


async def resume_detached(resumption: ResumeRequest, host: RunHost) -> None:
    """Queue the run for the workers."""
    _refuse_live_or_cleaned(resumption)
    environment, row = host.environment, resumption.row
    with _lock(environment.root, row):
        checked, history = await _checked(resumption, host)
        await probe_before(checked)
        # A worker that takes the run at once waits for this lock.
        was_claimed = _claim(checked, queue=worker_queue(checked.request.login))
        _reopen(resumption, checked, history)
        if not was_claimed:
            enqueue_leg(checked.request, environment)
    ensure_worker(environment)


async def _checked(resumption: ResumeRequest, host: RunHost) -> tuple[CheckedRequest, RunHistory]:
    """The checked request with the new options, and the run's history. The caller holds the run's
    lock."""
    environment, run = host.environment, resumption.row.id
    with closing(open_store(environment.storage)) as store:
        history = read_history(store.read(run))
        if read_work_log(store, run).dropped is not None:
            name = short_id(run)
            raise UsageError(
                f"the work of run {name} was dropped",
                hint=f"restore it first: treadle undo {name}",
            )
        if host.replay is not None:
            for recorded in store.outline(run):
                host.replay(recorded)
    request = _updated_request(read_request(environment.root, run), resumption, history)
    request = with_variables(request, environment)
    checked = await check_request(request, host)
    _refuse_exhausted(resumption, history, run_limits(checked.settings))
    request = with_shell_environment(request, environment)
    store_request(environment.root, request)
    return replace(checked, request=request), history


def _reopen(resumption: ResumeRequest, checked: CheckedRequest, history: RunHistory) -> None:
    """Record that the run continues, and clear requests to cancel it."""
    storage, request = checked.environment.storage, checked.request
    if history.result is None:
        with closing(open_database(storage)) as database:
            ControlRequests(database).clear(request.run)
        return
    _cancel_leg(checked.environment, request.run, history.leg)
    reopened = RunReopened(resumption.by, run_limits(checked.settings), checked.confinement)
    with closing(open_store(storage)) as store:
        recorder = Recorder(store, request.run, SystemClock(), checked.host.readers)
        recorder.record(reopened, once=f"reopened {request.leg}")


def _updated_request(
    request: RunRequest, resumption: ResumeRequest, history: RunHistory
) -> RunRequest:
    options = {name: value for name, value in resumption.flags.items() if value is not None}
    request = replace(
        request,
        flags={**request.flags, **options},
        no_sandbox=request.no_sandbox or resumption.no_sandbox,
    )
    if history.result is None:
        return replace(request, leg=history.leg)
    return replace(request, leg=history.leg + 1, so_far=history.result)


def _refuse_exhausted(resumption: ResumeRequest, history: RunHistory, limits: RunLimits) -> None:
    """Refuse a run that is done, or at a limit that was not raised."""
    result, run = history.result, short_id(resumption.row.id)
    if result is None:
        return
    if result.succeeded:
        raise UsageError(
            f"run {run} is done", hint=f"see what it changed with `treadle diff {run}`"
        )
    if find_workflow(resumption.row.workflow).place == "queue":
        # It adds up what its items have used, and looks at the specifications itself.
        return
    if result.reason == "spec_issue":
        # The clone has the old specifications, so the result would be the same.
        raise UsageError(
            f"run {run} found an issue with the specifications",
            hint=f"settle it there, merge the work with `treadle land {run}` or drop it with "
            f"`treadle drop {run}`, then start a new run",
        )
    reached = {
        "budget_exceeded": (
            result.cost_usd >= limits.max_cost_usd,
            f"--max-cost {2 * limits.max_cost_usd:g}",
        ),
        "time_exceeded": (
            result.duration_s >= limits.max_minutes * 60,
            f"--max-minutes {2 * limits.max_minutes:g}",
        ),
        "max_iterations": (
            result.rounds >= limits.max_iterations,
            f"-n {2 * limits.max_iterations}",
        ),
    }
    is_reached, option = reached.get(result.reason, (False, ""))
    if is_reached:
        raise UsageError(
            f"run {run} has reached its limit: {result.message}",
            hint=f"raise the limit: treadle {resumption.by} {run} {option}",
        )


def _refuse_live_or_cleaned(resumption: ResumeRequest) -> None:
    run = short_id(resumption.row.id)
    if resumption.row.alive:
        raise UsageError(f"run {run} is working", hint=f"watch it with `treadle attach {run}`")
    if resumption.row.cleaned_at:
        message = f"run {run} was cleaned: only its entry in the list is left"
        raise UsageError(message, hint="start a new run")


def _claim(checked: CheckedRequest, *, queue: str) -> bool:
    """Move the run's leg to this queue, because the run's lock shows that it has no process. Its
    crashes are counted from zero, because a person asked for it.

    False if the leg was not started, or is over.
    """
    from treadle.durable.connections import open_pool, translate_errors
    from treadle.durable.queries import find_workflow
    from treadle.durable.stored_workflow import WorkflowStatus
    from treadle.durable.workflow_tables import WorkflowTables

    request = checked.request
    location = engine_location(checked.environment.storage)
    workflow = find_workflow(location, leg_name(request.run, request.leg))
    if workflow is None or workflow.status is WorkflowStatus.FINISHED:
        return False
    with open_pool(location) as pool, translate_errors(location):
        return WorkflowTables(pool).move_to_queue(workflow, queue, attempts=0)


def _cancel_leg(environment: Environment, run: RunId, leg: int) -> None:
    """Cancel a leg that ended in the log but is unfinished at the engine."""
    from treadle.durable.queries import find_workflow

    location = engine_location(environment.storage)
    workflow = find_workflow(location, leg_name(run, leg))
    if workflow is not None and workflow.is_unfinished:
        from treadle.durable.client import cancel

        cancel(location, workflow.workflow_id)
