"""`treadle worker`: runs what was detached, and what lost its process."""

import asyncio
import signal

import click

from treadle.cli.context import Given
from treadle.cli.hushed import hushed
from treadle.wiring.worker import Shift, work

SESSIONS = 2


@click.command("worker")
@click.option(
    "--sessions",
    type=click.IntRange(min=1),
    default=SESSIONS,
    show_default=True,
    metavar="N",
    help="Agent sessions at once; a run that waits takes none.",
)
@click.option("--until-idle", is_flag=True, help="End when there is nothing left to do.")
@click.pass_obj
def command(given: Given, *, sessions: int, until_idle: bool) -> None:
    """Run detached runs, and take over runs whose process is gone.

    Ended by a signal, it lets go of its runs as they are: the next worker goes on with them.
    """

    def say(text: str) -> None:
        _say(hushed(text, given.environment))

    asyncio.run(_work(given, Shift(sessions, until_idle, say)))


async def _work(given: Given, shift: Shift) -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(name, stop.set)
    _say(f"worker ready · up to {shift.sessions} sessions at once")
    await work(given.in_project(None).environment, shift, stop)
    _say("worker ended")


def _say(text: str) -> None:
    click.echo(text, err=True)
