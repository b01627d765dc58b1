"""`treadle land`: brings a run's work into the checkout it was made for."""

import asyncio
from typing import assert_never

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_reference import project_run_argument
from treadle.domain.events.work import WorkKept, WorkLanded
from treadle.domain.exit_reasons import DONE, PERSON_NEEDED
from treadle.domain.run_row import RunRow
from treadle.runs.finished_work import land_run


@click.command("land")
@project_run_argument
@click.pass_obj
def command(context: CommandContext, row: RunRow) -> int:
    """Fast-forward the checkout to the work of RUN: an id, the end of one, or `last`.

    The checkout is the one the run was made for, wherever you are. Nothing is touched when it is
    not as the run found it; the one command that merges the work is printed instead, with exit
    code 3.
    """
    match asyncio.run(land_run(row, context.environment)):
        case WorkLanded(branch=branch, commit=commit, form=form):
            how = "" if form == "commits" else " as uncommitted changes"
            click.echo(f"landed {branch} at {commit[:8]}{how} in {row.project_path}")
            return DONE
        case WorkKept(branch=branch, reason=reason, command=merge):
            click.echo(f"kept {branch}: {reason}", err=True)
            click.echo(f"  {merge}", err=True)
            return PERSON_NEEDED
        case unreachable:
            assert_never(unreachable)
