"""`treadle logs`: the event log of a run, as it was seen live or as JSON lines."""

import asyncio
import sys
from contextlib import closing
from dataclasses import replace

import click

from treadle.adapters.stores.runs import RunRow, find_run
from treadle.adapters.stores.sqlite import SqliteStore
from treadle.cli.context import Given
from treadle.cli.terminal.following import Growing, follow_log
from treadle.cli.terminal.screen import Screen, screen_of
from treadle.cli.terminal.terminal import Terminal
from treadle.cli.terminal.view import Level
from treadle.domain.events.log import Recorded
from treadle.domain.ids import short
from treadle.domain.wire import encode_recorded
from treadle.wiring.clock import SystemClock

LEVELS = {"verbose": Level.VERBOSE, "debug": Level.DEBUG}


@click.command("logs")
@click.argument("run")
@click.option("-f", "--follow", is_flag=True, help="Go on until the run ends.")
@click.option("--json", "as_json", is_flag=True, help="The events as JSON lines, as stored.")
@click.option(
    "--after", type=click.IntRange(min=0), default=0, metavar="N", help="Only events above N."
)
@click.option("-v", "--verbose", "level", flag_value="verbose", help="Also what tools answered.")
@click.option(
    "-d", "--debug", "level", flag_value="debug", help="Also instructions, thinking and usage."
)
@click.pass_obj
def command(
    given: Given, *, run: str, follow: bool, as_json: bool, after: int, level: str | None
) -> None:
    """Show the events of RUN: an id, any unique end of one, or `last`."""
    root = given.environment.root
    row = find_run(root, run)
    with closing(SqliteStore(root)) as store:
        log = Growing(
            read=lambda number: store.read(row.id, after=number),
            alive=lambda: follow and find_run(root, row.id).alive,
            sleep=asyncio.sleep,
        )
        if as_json:
            ended = asyncio.run(follow_log(log, _print_json, tick=_nothing, after=after))
        else:
            screen = screen_of(sys.stdout, given.environment)
            shown = Level.NORMAL if level is None else LEVELS[level]
            screen = screen if follow else replace(screen, live=False)
            ended = _print_lines(log, screen, level=shown, after=after)
    if follow and not ended:
        click.echo(_lost(row), err=True)


def _print_json(recorded: Recorded) -> None:
    click.echo(encode_recorded(recorded))


def _nothing() -> None:
    """JSON has no live line."""


def _print_lines(log: Growing, screen: Screen, *, level: Level, after: int) -> bool:
    terminal = Terminal(sys.stdout, level=level, screen=screen, clock=SystemClock())

    def show(recorded: Recorded) -> None:
        # What is not shown is still needed to understand what is.
        (terminal.show if recorded.seq > after else terminal.recall)(recorded)
        if terminal.gone:
            raise BrokenPipeError

    with closing(terminal):
        return asyncio.run(follow_log(log, show, tick=terminal.tick))


def _lost(row: RunRow) -> str:
    return f"Run {short(row.id)} has no living process: its log ends here."
