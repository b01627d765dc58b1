"""`treadle attach`: displays a run of another process until it ends or you leave."""

import asyncio
import sys
from collections.abc import Callable
from contextlib import closing
from typing import Any

import click

from treadle.adapters.clock import SystemClock
from treadle.cli.context import CommandContext
from treadle.cli.json_lines import JsonLines
from treadle.cli.log_follower import FollowedLog, follow_log
from treadle.cli.plan_prompt import PlanPrompt
from treadle.cli.run_display import has_terminal, verbosity_of
from treadle.cli.run_options import OutputOptions, output_options
from treadle.cli.run_reference import is_last, run_argument
from treadle.cli.terminal.screen import detect_screen
from treadle.cli.terminal.terminal import TerminalDisplay
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.queue import ItemEnded, ItemStarted
from treadle.domain.exit_reasons import exit_code
from treadle.domain.ids import RunId, short_id
from treadle.domain.ports import Store
from treadle.domain.run import RunResult
from treadle.domain.run_row import RunRow
from treadle.runs.find import find_run, is_served, open_logs
from treadle.runs.item_queue import queue_at_work
from treadle.runs.recovery import is_set_aside

LOST = 1


@click.command("attach")
@run_argument
@output_options
@click.pass_obj
def command(context: CommandContext, row: RunRow, /, **values: Any) -> int:
    """Watch RUN as if it ran here: an id, its beginning or end, or `last`.

    Shows the current round and follows the run to its end. You can answer a question about a plan
    there. The exit code is that of the run. A queue is shown with the runs of its items; while it
    works on one, `last` is the queue. Ctrl-C stops watching; the run continues.

    \b
    Example:
      treadle attach last
    """
    output, storage = OutputOptions(**values), context.environment.storage
    row = (queue_at_work(storage, row) if is_last() else None) or row
    with open_logs(storage) as logs:
        log = FollowedLog(
            read=lambda number: logs.read(row.id, after=number),
            alive=lambda: _is_alive(context, row),
            sleep=asyncio.sleep,
        )
        try:
            result = asyncio.run(
                _follow(context, log, output, _ItemLogs(row.id, logs, past=output.json))
            )
        except KeyboardInterrupt:
            click.echo(f"\nDetached from run {short_id(row.id)}, which continues.", err=True)
            return 0
    if result is not None:
        return exit_code(result.reason)
    state = "is set aside" if is_set_aside(context.environment, row.id) else "lost its process"
    click.echo(f"Run {short_id(row.id)} {state}: treadle resume {short_id(row.id)}", err=True)
    return LOST


async def _follow(
    context: CommandContext, log: FollowedLog, output: OutputOptions, items: "_ItemLogs"
) -> RunResult | None:
    screen = detect_screen(sys.stderr, context.environment)
    terminal = TerminalDisplay(
        sys.stderr, level=verbosity_of(output), screen=screen, clock=SystemClock()
    )
    lines = JsonLines(sys.stdout) if output.json else None
    prompt = PlanPrompt(terminal, context.environment.storage) if has_terminal() else None

    def show(recorded: RecordedEvent) -> None:
        # What is not shown is still needed to understand what is.
        (terminal.draw_event if items.is_current(recorded) else terminal.skip_event)(recorded)
        if prompt is not None:
            prompt.read_event(recorded)
        if lines is not None:
            lines.write_event(recorded)

    def show_with_items(recorded: RecordedEvent) -> None:
        if isinstance(recorded.event, ItemEnded):
            items.show_new(show)
        show(recorded)
        items.read_event(recorded)

    def tick() -> None:
        items.show_new(show)
        terminal.tick()

    with closing(terminal):
        return await follow_log(log, show_with_items, tick=tick)


class _ItemLogs:
    """The log of the item that a followed queue works on, which is shown between its events.
    `past`: also the logs of earlier items."""

    def __init__(self, followed: RunId, logs: Store, *, past: bool) -> None:
        self._logs, self._past = logs, past
        # What came before is not shown.
        self._first_shown = {followed: _last_start(logs, followed)}
        self._item: RunId | None = None
        self._seen = 0

    def is_current(self, recorded: RecordedEvent) -> bool:
        """Whether the event came in the last round, item or wait before attaching, or later."""
        return recorded.seq >= self._first_shown[recorded.run]

    def read_event(self, recorded: RecordedEvent) -> None:
        """Take note of an event of the queue."""
        match recorded.event:
            case ItemStarted(run=run) if self._past or self.is_current(recorded):
                first = _last_start(self._logs, run) if self.is_current(recorded) else sys.maxsize
                self._first_shown[run] = first
                self._item, self._seen = run, 0
            case ItemEnded():
                self._item = None
            case _:
                pass

    def show_new(self, show: Callable[[RecordedEvent], None]) -> None:
        if self._item is None:
            return
        for recorded in self._logs.read(self._item, after=self._seen):
            show(recorded)
            self._seen = recorded.seq


def _last_start(logs: Store, run: RunId) -> int:
    """The number of the event that started the last round of a run, or item or wait of a queue."""
    types = ("round.started", "item.started", "wait.started")
    starts = [recorded.seq for recorded in logs.read(run, types=types)]
    return starts[-1] if starts else 0


def _is_alive(context: CommandContext, row: RunRow) -> bool:
    now = find_run(context.environment.storage, row.id, directory=None)
    # A worker, if there is one, continues a run that has lost its process.
    is_recoverable = now.state == "lost" and is_served(context.environment.storage, row.id)
    expected = now.state == "queued" or is_recoverable
    return now.alive or (expected and not is_set_aside(context.environment, row.id))
