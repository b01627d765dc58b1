"""`treadle diff`: what a run changed."""

import asyncio

import click

from treadle.adapters.stores.runs import find_run
from treadle.cli.context import Given
from treadle.wiring.work import diff_run


@click.command("diff")
@click.argument("run", default="last")
@click.option("--stat", is_flag=True, help="Only the files and how much of them changed.")
@click.pass_obj
def command(given: Given, run: str, *, stat: bool) -> int:
    """What RUN changed: an id, the end of one, or `last`."""
    row = find_run(given.environment.root, run)
    click.echo(asyncio.run(diff_run(row, given.environment, stat=stat)))
    return 0
