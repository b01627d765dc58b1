"""`treadle land`: brings a run's work into the checkout it was made for."""

import asyncio
from typing import assert_never

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_display import has_terminal
from treadle.cli.run_reference import project_run_argument
from treadle.domain.events.work import WorkKept, WorkLanded
from treadle.domain.exit_reasons import DONE, PERSON_NEEDED
from treadle.domain.ids import short_id
from treadle.domain.run_row import RunRow
from treadle.runs.finished_work import land_run
from treadle.runs.landing_review import LandingReview, review_run
from treadle.views.safe_text import sanitize


@click.command("land")
@project_run_argument
@click.option("--yes", "-y", is_flag=True, help="Land without asking, for scripts.")
@click.pass_obj
def command(context: CommandContext, row: RunRow, *, yes: bool) -> int:
    """Fast-forward your checkout to the work of RUN: an id, its beginning or end, or `last`.

    Lists changed files that tools run by themselves, and asks before it lands these, mass
    deletions or weaker tests. Without a terminal, such work needs --yes (exit code 3). If your
    checkout has changed since the run started, nothing is landed, and the command that merges the
    work is printed (exit code 3).

    \b
    Example:
      treadle land last
    """
    review = asyncio.run(review_run(row, context.environment))
    if not _is_allowed(review, row, yes=yes):
        return PERSON_NEEDED
    match asyncio.run(land_run(row, context.environment, review.work)):
        case WorkLanded(branch=branch, commit=commit, form=form):
            how = "" if form == "commits" else " as uncommitted changes"
            click.echo(f"landed {branch} at {commit[:8]}{how} in {row.project_path}")
            return DONE
        case WorkKept(branch=branch, reason=reason, command=merge):
            click.echo(f"kept {branch}: {sanitize(reason)}", err=True)
            click.echo(f"  {merge}", err=True)
            return PERSON_NEEDED
        case unreachable:
            assert_never(unreachable)


def _is_allowed(review: LandingReview, row: RunRow, *, yes: bool) -> bool:
    """Whether the work may land: nothing needs a question, or a person says yes."""
    if review.tool_files:
        click.echo("The work changes files that tools run by themselves:", err=True)
    for each in review.tool_files:
        click.echo(sanitize(f"  {each.change} {each.path} ({each.why})"), err=True)
    if not review.reasons or yes:
        return True
    for reason in review.reasons:
        click.echo(sanitize(f"{reason[:1].upper()}{reason[1:]}."), err=True)
    if has_terminal():
        return click.confirm("Land it?", default=False, err=True)
    run = short_id(row.id)
    click.echo(
        f"There is no terminal to ask on: read `treadle diff {run}`, then run"
        f" `treadle land {run} --yes`.",
        err=True,
    )
    return False
