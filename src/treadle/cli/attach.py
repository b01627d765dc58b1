"""`treadle attach`: displays a run of another process until it ends or you leave."""

import asyncio
import sys
from contextlib import closing
from typing import Any

import click

from treadle.adapters.clock import SystemClock
from treadle.cli.context import CommandContext
from treadle.cli.json_lines import JsonLines
from treadle.cli.log_follower import FollowedLog, follow_log
from treadle.cli.run_display import verbosity_of
from treadle.cli.run_options import OutputOptions, output_options
from treadle.cli.run_reference import run_argument
from treadle.cli.terminal.screen import detect_screen
from treadle.cli.terminal.terminal import TerminalDisplay
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.run import RoundStarted
from treadle.domain.exit_reasons import exit_code
from treadle.domain.ids import short_id
from treadle.domain.ports import Store
from treadle.domain.run import RunResult
from treadle.domain.run_row import RunRow
from treadle.runs.find import find_run, is_served, open_logs
from treadle.runs.recovery import is_set_aside

LOST = 1


@click.command("attach")
@run_argument
@output_options
@click.pass_obj
def command(context: CommandContext, row: RunRow, /, **values: Any) -> int:
    """Watch RUN as if it ran here: an id, any unique end of one, or `last`.

    Shows its round so far and goes on until it ends; the exit code is the run's. Ctrl-C leaves it
    running.
    """
    output = OutputOptions(**values)
    with open_logs(context.environment.storage) as logs:
        log = FollowedLog(
            read=lambda number: logs.read(row.id, after=number),
            alive=lambda: _is_alive(context, row),
            sleep=asyncio.sleep,
        )
        try:
            result = asyncio.run(_follow(context, log, output, _last_round_start(logs, row)))
        except KeyboardInterrupt:
            click.echo(f"\nLeft run {short_id(row.id)} at work.", err=True)
            return 0
    if result is not None:
        return exit_code(result.reason)
    state = "is set aside" if is_set_aside(context.environment, row.id) else "lost its process"
    click.echo(f"Run {short_id(row.id)} {state}: treadle resume {short_id(row.id)}", err=True)
    return LOST


async def _follow(
    context: CommandContext, log: FollowedLog, output: OutputOptions, first_shown: int
) -> RunResult | None:
    screen = detect_screen(sys.stderr, context.environment)
    terminal = TerminalDisplay(
        sys.stderr, level=verbosity_of(output), screen=screen, clock=SystemClock()
    )
    lines = JsonLines(sys.stdout) if output.json else None

    def show(recorded: RecordedEvent) -> None:
        # What is not shown is still needed to understand what is.
        (terminal.draw_event if recorded.seq >= first_shown else terminal.skip_event)(recorded)
        if lines is not None:
            lines.write_event(recorded)

    with closing(terminal):
        return await follow_log(log, show, tick=terminal.tick)


def _last_round_start(logs: Store, row: RunRow) -> int:
    """The number of the event that started the run's last round."""
    starts = [r.seq for r in logs.read(row.id) if isinstance(r.event, RoundStarted)]
    return starts[-1] if starts else 0


def _is_alive(context: CommandContext, row: RunRow) -> bool:
    now = find_run(context.environment.storage, row.id, directory=None)
    # A worker, if there is one, continues a run that has lost its process.
    is_recoverable = now.state == "lost" and is_served(context.environment.storage, row.id)
    expected = now.state == "queued" or is_recoverable
    return now.alive or (expected and not is_set_aside(context.environment, row.id))
