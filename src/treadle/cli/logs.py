"""`treadle logs`: prints the event log of a run, as lines or as JSON lines."""

import sys
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Literal

import click

from treadle.adapters.clock import SystemClock
from treadle.cli.context import LARGEST_COUNT, CommandContext
from treadle.cli.json_output import printable_json
from treadle.cli.log_follower import FollowedLog, follow_log
from treadle.cli.run_reference import run_argument
from treadle.cli.terminal.screen import detect_screen
from treadle.cli.terminal.styled_lines import Verbosity
from treadle.cli.terminal.terminal import TerminalDisplay
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.ids import short_id
from treadle.domain.run_row import RunRow
from treadle.domain.wire import encode_recorded
from treadle.runs.find import open_logs, open_rows
from treadle.settings.environment import Environment

LEVELS = {None: Verbosity.NORMAL, "verbose": Verbosity.VERBOSE, "debug": Verbosity.DEBUG}


@dataclass(frozen=True, slots=True)
class LogOptions:
    """How much of a log to print, and in which form."""

    follow: bool
    as_json: bool
    after: int
    tail: int | None
    level: Literal["verbose", "debug"] | None


@dataclass(frozen=True, slots=True)
class PrintedLog:
    """A log from a number on; `alive` says whether its run still works, None if nobody waits."""

    read: Callable[[int], Iterable[RecordedEvent]]
    alive: Callable[[], bool] | None
    after: int

    def show(self, show: Callable[[RecordedEvent], None], tick: Callable[[], None]) -> None:
        if self.alive is None:
            for recorded in self.read(self.after):
                show(recorded)
            return
        # Imported here, because most calls do not follow.
        import asyncio

        log = FollowedLog(self.read, self.alive, asyncio.sleep)
        asyncio.run(follow_log(log, show, tick=tick, after=self.after))


@click.command("logs")
@run_argument
@click.option("-f", "--follow", is_flag=True, help="Follow the run until it ends.")
@click.option("--json", "as_json", is_flag=True, help="The events as JSON lines, as stored.")
@click.option(
    "--after",
    type=click.IntRange(min=0, max=LARGEST_COUNT),
    default=0,
    metavar="N",
    help="Only events after number N.",
)
@click.option(
    "--tail",
    type=click.IntRange(min=1, max=LARGEST_COUNT),
    metavar="N",
    help="Only the last N events.",
)
@click.option(
    "-v", "--verbose", "level", flag_value="verbose", help="Also show the output of tools."
)
@click.option(
    "-d", "--debug", "level", flag_value="debug", help="Also show instructions, thinking and usage."
)
@click.pass_obj
def command(context: CommandContext, row: RunRow, /, **values: Any) -> None:
    """Show the events of RUN: an id, its beginning or end, or `last`.

    Each session also has a text file; `treadle show RUN` names the folder.

    \b
    Examples:
      treadle logs -f
      treadle logs last --tail 20
    """
    options, storage = LogOptions(**values), context.environment.storage
    with open_logs(storage) as logs, open_rows(storage) as now:
        after = max(options.after, logs.last_number(row.id) - options.tail if options.tail else 0)
        log = PrintedLog(
            read=lambda number: logs.read(row.id, after=number),
            alive=(lambda: now(row.id).alive) if options.follow else None,
            after=after,
        )
        if options.as_json:
            log.show(_print_json, _no_tick)
        else:
            before = logs.outline(row.id, upto=after) if after else ()
            _print_lines(log, before, options, context.environment)
        if options.follow and now(row.id).state == "lost":
            click.echo(f"Run {short_id(row.id)} has lost its process. Its log ends here.", err=True)


def _print_json(recorded: RecordedEvent) -> None:
    click.echo(printable_json(encode_recorded(recorded)))


def _no_tick() -> None:
    """JSON has no live line."""


def _print_lines(
    log: PrintedLog, before: Iterable[RecordedEvent], options: LogOptions, environment: Environment
) -> None:
    """`before`: events that are not shown, but needed to understand those that are."""
    screen = detect_screen(sys.stdout, environment)
    screen = screen if options.follow else replace(screen, live=False)
    terminal = TerminalDisplay(
        sys.stdout, level=LEVELS[options.level], screen=screen, clock=SystemClock()
    )

    def show(recorded: RecordedEvent) -> None:
        terminal.draw_event(recorded)
        if terminal.is_closed:
            raise BrokenPipeError

    with closing(terminal):
        for recorded in before:
            terminal.skip_event(recorded)
        log.show(show, terminal.tick)
