"""`treadle attach`: watch a run that another process works on, until it ends or you leave."""

import asyncio
import sys
from contextlib import closing
from typing import Any

import click

from treadle.cli.context import Given
from treadle.cli.following import Growing, follow_log
from treadle.cli.json_lines import JsonLines
from treadle.cli.log_readers import level_of
from treadle.cli.options import Showing, showing_options
from treadle.cli.run_reference import names_a_run
from treadle.cli.terminal.screen import screen_of
from treadle.cli.terminal.terminal import Terminal
from treadle.domain.events.all_events import Recorded
from treadle.domain.events.run import RoundStarted, RunEnded, RunReopened
from treadle.domain.ids import short
from treadle.domain.ports import Store
from treadle.domain.run import EXIT_CODES
from treadle.domain.run_row import RunRow
from treadle.wiring.clock import SystemClock
from treadle.wiring.history import find_run, open_logs
from treadle.wiring.holding import worker_is_alive
from treadle.wiring.sweeping import is_set_aside

LOST = 1


@click.command("attach")
@names_a_run
@showing_options
@click.pass_obj
def command(given: Given, row: RunRow, /, **values: Any) -> int:
    """Watch RUN as if it ran here: an id, any unique end of one, or `last`.

    Shows its round so far and goes on until it ends; the exit code is the run's. Ctrl-C leaves it
    running.
    """
    showing = Showing(**values)
    ends: list[RunEnded] = []
    with open_logs(given.environment.storage) as logs:
        log = Growing(
            read=lambda number: logs.read(row.id, after=number),
            alive=lambda: _is_alive(given, row),
            sleep=asyncio.sleep,
        )
        try:
            asyncio.run(_follow(given, log, showing, _round_begins(logs, row), ends))
        except KeyboardInterrupt:
            click.echo(f"\nLeft run {short(row.id)} at work.", err=True)
            return 0
    if ends:
        return EXIT_CODES[ends[-1].result.reason]
    stands = "is set aside" if is_set_aside(given.environment, row.id) else "lost its process"
    click.echo(f"Run {short(row.id)} {stands}: treadle resume {short(row.id)}", err=True)
    return LOST


async def _follow(
    given: Given, log: Growing, showing: Showing, recent: int, ends: list[RunEnded]
) -> None:
    screen = screen_of(sys.stderr, given.environment)
    terminal = Terminal(sys.stderr, level=level_of(showing), screen=screen, clock=SystemClock())
    lines = JsonLines(sys.stdout) if showing.json else None

    def show(recorded: Recorded) -> None:
        # What is not shown is still needed to understand what is.
        (terminal.show if recorded.seq >= recent else terminal.recall)(recorded)
        if lines is not None:
            lines.show(recorded)
        match recorded.event:
            case RunEnded() as event:
                ends.append(event)
            case RunReopened():
                ends.clear()
            case _:
                pass

    with closing(terminal):
        await follow_log(log, show, tick=terminal.tick)


def _round_begins(logs: Store, row: RunRow) -> int:
    """The number of the event that the run's last round began with."""
    begins = [r.seq for r in logs.read(row.id) if isinstance(r.event, RoundStarted)]
    return begins[-1] if begins else 0


def _is_alive(given: Given, row: RunRow) -> bool:
    now = find_run(given.environment.storage, row.id, standing_in=None)
    # What has lost its process is taken over by a worker, if there is one.
    lost_for_now = now.state == "lost" and worker_is_alive(given.environment.root)
    expected = now.state == "queued" or lost_for_now
    return now.alive or (expected and not is_set_aside(given.environment, row.id))
