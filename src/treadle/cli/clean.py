"""`treadle clean`: deletes logs and files of old runs whose work is elsewhere."""

import asyncio
from datetime import UTC, datetime
from typing import assert_never

import click

from treadle.cli.context import CommandContext
from treadle.domain.errors import StoreError
from treadle.domain.ids import short_id
from treadle.domain.retention import DropRun, DropWork, KeepRun
from treadle.runs.clean import CleanMode, CleanPlan, clean
from treadle.settings.load import load_settings
from treadle.views.duration import ago
from treadle.views.recovery_text import restorable_text


@click.command("clean")
@click.option("-p", "--project-dir", metavar="DIR", help="The project (default: this directory).")
@click.option(
    "--older-than",
    "days",
    type=click.FloatRange(min=0),
    metavar="DAYS",
    help="Only runs that ended this many days ago (default: retention.days).",
)
@click.option(
    "--dry-run", is_flag=True, help="Print what would be removed, and what is kept and why."
)
@click.option("--force", is_flag=True, help="Also drop unmerged work. It is backed up first.")
@click.pass_obj
def command(
    context: CommandContext,
    project_dir: str | None,
    days: float | None,
    *,
    dry_run: bool,
    force: bool,
) -> None:
    """Remove the logs and files of old runs, of all projects.

    Removes only runs that have ended and whose work has landed, was pushed, or is in another
    branch, even squashed or rebased. With --force, other old runs are dropped; `treadle undo`
    restores them.

    \b
    Examples:
      treadle clean --dry-run
      treadle clean --older-than 30
      treadle clean --force
    """
    context, project = context.in_project(project_dir), context.project(project_dir)
    if days is None:
        days = load_settings(project, environment=context.environment.raw).settings.retention.days
    removed = asyncio.run(_clean(context, days, CleanMode(dry_run, force)))
    if not removed:
        text = f"Nothing to remove of runs that ended at least {days:g} days ago (--older-than)."
        click.echo(text, err=True)


async def _clean(context: CommandContext, days: float, mode: CleanMode) -> int:
    now, removed = datetime.now(UTC), 0
    failed = 0
    async for plan in clean(context.environment, now=now, days=days, mode=mode):
        if plan.failure:
            failed += 1
            click.echo(f"removed {short_id(plan.row.id)} only in part: {plan.failure}", err=True)
            continue
        removed += not isinstance(plan.decision, KeepRun)
        click.echo(_line(plan, now, mode))
        if plan.restorable is not None and not mode.dry_run:
            click.echo(f"  {restorable_text(plan.row.id, plan.restorable)}")
    if failed:
        raise StoreError(
            f"the files of {failed} {'run' if failed == 1 else 'runs'} could not all be removed",
            hint="check their permissions with `ls -ld`, then clean again",
        )
    return removed


def _line(plan: CleanPlan, now: datetime, mode: CleanMode) -> str:
    row = plan.row
    ended = ago(datetime.fromisoformat(row.ended_at), now)
    match plan.decision:
        case KeepRun():
            verb = "keep" if mode.dry_run else "kept"
        case DropRun():
            verb = "would remove" if mode.dry_run else "removed"
        case DropWork():
            verb = "would drop" if mode.dry_run else "dropped"
        case unreachable:
            assert_never(unreachable)
    return f"{verb} {short_id(row.id)}, ended {ended} in {row.project_path}: {plan.decision.reason}"
