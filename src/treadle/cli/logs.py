"""`treadle logs`: the event log of a run, as it was seen live or as JSON lines."""

import asyncio
import sys
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Literal

import click

from treadle.cli.context import MOST, Given
from treadle.cli.following import Growing, follow_log
from treadle.cli.run_reference import names_a_run
from treadle.cli.terminal.screen import screen_of
from treadle.cli.terminal.terminal import Terminal
from treadle.cli.terminal.view import Level
from treadle.domain.events.all_events import Recorded
from treadle.domain.ids import short
from treadle.domain.run_row import RunRow
from treadle.domain.wire import encode_recorded
from treadle.settings.environment import Environment
from treadle.wiring.clock import SystemClock
from treadle.wiring.history import open_logs, open_rows

LEVELS = {None: Level.NORMAL, "verbose": Level.VERBOSE, "debug": Level.DEBUG}


@dataclass(frozen=True, slots=True)
class Options:
    """How much of a log is wanted, and in which form."""

    follow: bool
    as_json: bool
    after: int
    tail: int | None
    level: Literal["verbose", "debug"] | None


@dataclass(frozen=True, slots=True)
class Before:
    """What is not shown, and is still needed to understand what is."""

    outline: Iterable[Recorded]
    after: int


@click.command("logs")
@names_a_run
@click.option("-f", "--follow", is_flag=True, help="Go on until the run ends.")
@click.option("--json", "as_json", is_flag=True, help="The events as JSON lines, as stored.")
@click.option(
    "--after",
    type=click.IntRange(min=0, max=MOST),
    default=0,
    metavar="N",
    help="Only events above N.",
)
@click.option(
    "--tail", type=click.IntRange(min=1, max=MOST), metavar="N", help="Only the last N events."
)
@click.option("-v", "--verbose", "level", flag_value="verbose", help="Also what tools answered.")
@click.option(
    "-d", "--debug", "level", flag_value="debug", help="Also instructions, thinking and usage."
)
@click.pass_obj
def command(given: Given, row: RunRow, /, **values: Any) -> None:
    """Show the events of RUN: an id, any unique end of one, or `last`."""
    options, storage = Options(**values), given.environment.storage
    with open_logs(storage) as logs, open_rows(storage) as now:
        after = max(options.after, logs.last_number(row.id) - options.tail if options.tail else 0)
        log = Growing(
            read=lambda number: logs.read(row.id, after=number),
            alive=lambda: options.follow and now(row.id).alive,
            sleep=asyncio.sleep,
        )
        if options.as_json:
            asyncio.run(follow_log(log, _print_json, tick=_nothing, after=after))
        else:
            before = logs.outline(row.id, upto=after) if after else ()
            _print_lines(log, Before(before, after), options, given.environment)
        if options.follow and now(row.id).state == "lost":
            click.echo(f"Run {short(row.id)} has no living process: its log ends here.", err=True)


def _print_json(recorded: Recorded) -> None:
    click.echo(encode_recorded(recorded))


def _nothing() -> None:
    """JSON has no live line."""


def _print_lines(log: Growing, before: Before, options: Options, environment: Environment) -> None:
    screen = screen_of(sys.stdout, environment)
    screen = screen if options.follow else replace(screen, live=False)
    terminal = Terminal(sys.stdout, level=LEVELS[options.level], screen=screen, clock=SystemClock())

    def show(recorded: Recorded) -> None:
        terminal.show(recorded)
        if terminal.gone:
            raise BrokenPipeError

    with closing(terminal):
        for recorded in before.outline:
            terminal.recall(recorded)
        asyncio.run(follow_log(log, show, tick=terminal.tick, after=before.after))
