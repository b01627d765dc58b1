"""`treadle logs`: prints the event log of a run, as lines or as JSON lines."""

import asyncio
import sys
from collections.abc import Iterable
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
class SkippedEvents:
    """Events that are not shown, but needed to understand those that are."""

    outline: Iterable[RecordedEvent]
    after: int


@click.command("logs")
@run_argument
@click.option("-f", "--follow", is_flag=True, help="Go on until the run ends.")
@click.option("--json", "as_json", is_flag=True, help="The events as JSON lines, as stored.")
@click.option(
    "--after",
    type=click.IntRange(min=0, max=LARGEST_COUNT),
    default=0,
    metavar="N",
    help="Only events above N.",
)
@click.option(
    "--tail",
    type=click.IntRange(min=1, max=LARGEST_COUNT),
    metavar="N",
    help="Only the last N events.",
)
@click.option("-v", "--verbose", "level", flag_value="verbose", help="Also what tools answered.")
@click.option(
    "-d", "--debug", "level", flag_value="debug", help="Also instructions, thinking and usage."
)
@click.pass_obj
def command(context: CommandContext, row: RunRow, /, **values: Any) -> None:
    """Show the events of RUN: an id, any unique end of one, or `last`."""
    options, storage = LogOptions(**values), context.environment.storage
    with open_logs(storage) as logs, open_rows(storage) as now:
        after = max(options.after, logs.last_number(row.id) - options.tail if options.tail else 0)
        log = FollowedLog(
            read=lambda number: logs.read(row.id, after=number),
            alive=lambda: options.follow and now(row.id).alive,
            sleep=asyncio.sleep,
        )
        if options.as_json:
            asyncio.run(follow_log(log, _print_json, tick=_no_tick, after=after))
        else:
            before = logs.outline(row.id, upto=after) if after else ()
            _print_lines(log, SkippedEvents(before, after), options, context.environment)
        if options.follow and now(row.id).state == "lost":
            click.echo(
                f"Run {short_id(row.id)} has no living process: its log ends here.", err=True
            )


def _print_json(recorded: RecordedEvent) -> None:
    click.echo(printable_json(encode_recorded(recorded)))


def _no_tick() -> None:
    """JSON has no live line."""


def _print_lines(
    log: FollowedLog, before: SkippedEvents, options: LogOptions, environment: Environment
) -> None:
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
        for recorded in before.outline:
            terminal.skip_event(recorded)
        asyncio.run(follow_log(log, show, tick=terminal.tick, after=before.after))
