"""`treadle worker`: works on detached runs and on runs whose process is gone."""

import asyncio
import signal

import click

from treadle.cli.context import CommandContext
from treadle.cli.redacted_errors import redact_secrets
from treadle.runs.worker import WorkerOptions, run_worker

SESSIONS = 2


@click.command("worker")
@click.option(
    "--sessions",
    type=click.IntRange(min=1),
    default=SESSIONS,
    show_default=True,
    metavar="N",
    help="Maximum agent sessions at once. A waiting run uses none.",
)
@click.option("--until-idle", is_flag=True, help="Exit when the queue is empty.")
@click.pass_obj
def command(context: CommandContext, *, sessions: int, until_idle: bool) -> None:
    """Execute detached runs, and take over runs whose process is gone.

    If you stop a worker, its runs wait for the next one.

    \b
    Example:
      treadle worker --sessions 3
    """

    def report(text: str) -> None:
        _print_status(redact_secrets(text, context.environment))

    asyncio.run(_work(context, WorkerOptions(sessions, until_idle, report)))


async def _work(context: CommandContext, options: WorkerOptions) -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(name, stop.set)
    _print_status(f"worker ready · up to {options.sessions} sessions at once")
    await run_worker(context.in_project(None).environment, options, stop)
    _print_status("worker ended")


def _print_status(text: str) -> None:
    click.echo(text, err=True)
