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
from treadle.cli.terminal.terminal import Terminal
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.run import RoundStarted, RunEnded, RunReopened
from treadle.domain.exit_codes import exit_code
from treadle.domain.ids import short_id
from treadle.domain.ports import Store
from treadle.domain.run_row import RunRow
from treadle.runs.find import find_run, open_logs
from treadle.runs.locks import worker_is_alive
from treadle.runs.recovery import is_set_aside

LOST = 1


@click.command("attach")
@run_argument
@output_options
@click.pass_obj
def command(given: CommandContext, row: RunRow, /, **values: Any) -> int:
    """Watch RUN as if it ran here: an id, any unique end of one, or `last`.

    Shows its round so far and goes on until it ends; the exit code is the run's. Ctrl-C leaves it
    running.
    """
    showing = OutputOptions(**values)
    ends: list[RunEnded] = []
    with open_logs(given.environment.storage) as logs:
        log = FollowedLog(
            read=lambda number: logs.read(row.id, after=number),
            alive=lambda: _is_alive(given, row),
            sleep=asyncio.sleep,
        )
        try:
            asyncio.run(_follow(given, log, showing, _last_round_start(logs, row), ends))
        except KeyboardInterrupt:
            click.echo(f"\nLeft run {short_id(row.id)} at work.", err=True)
            return 0
    if ends:
        return exit_code(ends[-1].result.reason)
    stands = "is set aside" if is_set_aside(given.environment, row.id) else "lost its process"
    click.echo(f"Run {short_id(row.id)} {stands}: treadle resume {short_id(row.id)}", err=True)
    return LOST


async def _follow(
    given: CommandContext,
    log: FollowedLog,
    showing: OutputOptions,
    recent: int,
    ends: list[RunEnded],
) -> None:
    screen = detect_screen(sys.stderr, given.environment)
    terminal = Terminal(sys.stderr, level=verbosity_of(showing), screen=screen, clock=SystemClock())
    lines = JsonLines(sys.stdout) if showing.json else None

    def show(recorded: RecordedEvent) -> None:
        # What is not shown is still needed to understand what is.
        (terminal.draw_event if recorded.seq >= recent else terminal.skip_event)(recorded)
        if lines is not None:
            lines.write_event(recorded)
        match recorded.event:
            case RunEnded() as event:
                ends.append(event)
            case RunReopened():
                ends.clear()
            case _:
                pass

    with closing(terminal):
        await follow_log(log, show, tick=terminal.tick)


def _last_round_start(logs: Store, row: RunRow) -> int:
    """The number of the event that the run's last round began with."""
    begins = [r.seq for r in logs.read(row.id) if isinstance(r.event, RoundStarted)]
    return begins[-1] if begins else 0


def _is_alive(given: CommandContext, row: RunRow) -> bool:
    now = find_run(given.environment.storage, row.id, standing_in=None)
    # What has lost its process is taken over by a worker, if there is one.
    lost_for_now = now.state == "lost" and worker_is_alive(given.environment.root)
    expected = now.state == "queued" or lost_for_now
    return now.alive or (expected and not is_set_aside(given.environment, row.id))
