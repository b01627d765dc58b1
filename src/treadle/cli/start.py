"""Starts a run for a workflow command: in this terminal, or detached for a worker."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

import click

from treadle.adapters.clock import fresh_run_id
from treadle.cli.context import CommandContext
from treadle.cli.run_display import RunDisplay, has_terminal, verbosity_of
from treadle.cli.run_options import OutputOptions, WorkflowOptions
from treadle.domain.exit_reasons import exit_code
from treadle.domain.ids import RunId, short_id
from treadle.domain.run import RunResult
from treadle.domain.run_request import RunRequest
from treadle.domain.stored_path import stored_path
from treadle.runs.interrupts import graceful_interrupts
from treadle.runs.queue import detach
from treadle.runs.start import run_in_foreground
from treadle.wiring.checked_request import RunHost


def start_run(
    context: CommandContext,
    options: WorkflowOptions,
    workflow: str,
    inputs: Mapping[str, str] | None = None,
) -> int:
    """Returns the exit code of the run; 0 for one that was detached."""
    context, project = context.in_project(options.project_dir), context.project(options.project_dir)
    request = RunRequest(
        run=fresh_run_id(),
        project_dir=stored_path(project),
        flags=options.flags(),
        no_sandbox=options.no_sandbox,
        rehearsal=context.rehearsing is not None,
        allow_destructive=options.allow_destructive,
        workflow=workflow,
        inputs=inputs or {},
    )
    if options.detach:
        return detach_run(context, request)
    return asyncio.run(
        run_in_terminal(context, options.output, partial(run_in_foreground, request))
    )


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
        rehearsing=context.rehearsing,
        signals=graceful_interrupts,
    )
    async with display:
        result = await work(host)
    return exit_code(result.reason)


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
