"""`treadle clean`: deletes logs and files of old runs whose work has been merged or dropped."""

import asyncio
from datetime import UTC, datetime

import click

from treadle.cli.context import CommandContext
from treadle.domain.errors import StoreError
from treadle.domain.ids import short_id
from treadle.domain.retention import DropRun
from treadle.runs.clean import CleanPlan, clean
from treadle.settings.load import load_settings
from treadle.views.duration import ago


@click.command("clean")
@click.option("-p", "--project-dir", metavar="DIR", help="The project (default: this directory).")
@click.option(
    "--older-than",
    "days",
    type=click.FloatRange(min=0),
    metavar="DAYS",
    help="Runs that ended so long ago (default: retention.days).",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be removed, and what not.")
@click.pass_obj
def command(
    context: CommandContext, project_dir: str | None, days: float | None, *, dry_run: bool
) -> None:
    """Remove the logs and files of old runs, of all projects.

    Only of runs that have ended and whose work has landed, is in another branch, or was dropped
    by deleting its branch. Branches are never touched, nor is anything that is not proven to be
    elsewhere.
    """
    context, project = context.in_project(project_dir), context.project(project_dir)
    if days is None:
        days = load_settings(project, environment=context.environment.raw).settings.retention.days
    removed = asyncio.run(_clean(context, days, dry_run=dry_run))
    if not removed:
        click.echo("Nothing to remove.", err=True)


async def _clean(context: CommandContext, days: float, *, dry_run: bool) -> int:
    now, removed = datetime.now(UTC), 0
    failed = 0
    async for plan in clean(context.environment, now=now, days=days, dry_run=dry_run):
        if plan.failure:
            failed += 1
            click.echo(f"left {short_id(plan.row.id)} in part: {plan.failure}", err=True)
            continue
        removed += isinstance(plan.decision, DropRun)
        click.echo(_line(plan, now, dry_run=dry_run))
    if failed:
        raise StoreError(
            f"the files of {failed} {'run' if failed == 1 else 'runs'} could not all be removed",
            hint="check their permissions with `ls -ld`, then clean again",
        )
    return removed


def _line(plan: CleanPlan, now: datetime, *, dry_run: bool) -> str:
    row = plan.row
    ended = ago(datetime.fromisoformat(row.ended_at), now)
    verb = (
        "keep"
        if not isinstance(plan.decision, DropRun)
        else "would remove"
        if dry_run
        else "remove"
    )
    return f"{verb} {short_id(row.id)}, ended {ended} in {row.project_path}: {plan.decision.reason}"
