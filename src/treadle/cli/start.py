"""Starts a run for a workflow command: in this terminal, or detached for a worker."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path

import click

from treadle.adapters.clock import fresh_run_id
from treadle.cli.context import CommandContext
from treadle.cli.run_display import RunDisplay, find_terminal, has_terminal, verbosity_of
from treadle.cli.run_options import OutputOptions, WorkflowOptions
from treadle.domain.exit_reasons import exit_code
from treadle.domain.ids import RunId, short_id
from treadle.domain.run import RunResult
from treadle.domain.run_request import RunRequest
from treadle.domain.stored_path import stored_path
from treadle.runs.interrupts import graceful_interrupts
from treadle.runs.log_files import require_log_file
from treadle.runs.start import run_in_foreground
from treadle.runs.worker_queue import WORKER_LOG, detach, ensure_worker, is_served
from treadle.wiring.checked_request import RunHost


def start_run(
    context: CommandContext,
    options: WorkflowOptions,
    workflow: str,
    inputs: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
) -> int:
    """Returns the exit code of the run; 0 for one that was detached. `flags`: further settings."""
    context, project = context.in_project(options.project_dir), context.project(options.project_dir)
    request = RunRequest(
        run=fresh_run_id(),
        project_dir=stored_path(project),
        flags={**options.flags(), **(flags or {})},
        no_sandbox=options.no_sandbox,
        rehearsal=context.rehearsing is not None,
        allow_destructive=options.allow_destructive,
        workflow=workflow,
        inputs=inputs or {},
        log_file=_log_file(context, options.log_file, project),
    )
    if options.detach:
        return detach_run(context, request)
    return asyncio.run(
        run_in_terminal(context, options.output, partial(run_in_foreground, request))
    )


def _log_file(context: CommandContext, named: str | None, project: Path) -> str:
    return "" if named is None else require_log_file(context.path(named), project)


async def run_in_terminal(
    context: CommandContext, output: OutputOptions, work: Callable[[RunHost], Awaitable[RunResult]]
) -> int:
    """Run to the end in this process and display it; returns the exit code."""
    display = RunDisplay(
        context.environment,
        level=verbosity_of(output),
        as_json=output.json,
        advice=context.advice,
    )
    host = RunHost(
        environment=context.environment,
        slots=asyncio.Semaphore(1),
        readers=display.readers,
        replay=display.skip_event,
        ask=display.ask if has_terminal() else None,
        terminal=find_terminal(context.environment),
        rehearsing=context.rehearsing,
        signals=graceful_interrupts,
    )
    async with display:
        result = await work(host)
    if result.follow_until is not None:
        await leave_to_worker(context)
    if result.reason == "error" and display.agent_exit_code:
        return display.agent_exit_code
    return exit_code(result.reason)


async def leave_to_worker(context: CommandContext) -> None:
    """Start a worker that follows the pull request, unless there is one. Waits until it is there,
    so that nobody reads that there is none."""
    environment = context.environment
    try:
        started = ensure_worker(environment)
    except OSError as error:
        reason = error.strerror or str(error)
    else:
        if started is None or await is_served(started, environment):
            return
        reason = f"see {environment.root / WORKER_LOG}"
    click.echo(f"No worker could be started ({reason}): start one with treadle worker", err=True)


def detach_run(context: CommandContext, request: RunRequest) -> int:
    """Queue the run and return."""
    host = RunHost(context.environment, asyncio.Semaphore(1), rehearsing=context.rehearsing)
    asyncio.run(detach(request, host))
    print_detached(request.run)
    return 0


def print_detached(run: RunId) -> None:
    """Print the id on stdout for scripts, the rest on stderr."""
    click.echo(run)
    click.echo(f"Detached. Follow it with `treadle attach {short_id(run)}`.", err=True)
