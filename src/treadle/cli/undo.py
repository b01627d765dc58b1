"""`treadle undo`: brings back dropped work and destroyed commits, or takes a landing back."""

import asyncio

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_reference import project_run_argument
from treadle.domain.exit_reasons import DONE, PERSON_NEEDED
from treadle.domain.ids import short_id
from treadle.domain.run_row import RunRow
from treadle.runs.undo import UndoReport, undo_run
from treadle.views.safe_text import sanitize
from treadle.workspace.landing_undo import CheckoutRestored, UndoRefused


@click.command("undo")
@project_run_argument
@click.option("--commits", is_flag=True, help="Restore only commits and dropped work.")
@click.pass_obj
def command(context: CommandContext, row: RunRow, *, commits: bool) -> int:
    """Restore the work of RUN: an id, its beginning or end, or `last`.

    Restores what `treadle drop` or `treadle clean` removed, and commits that its sessions lost. If
    the work has landed and your checkout has not changed since, moves the checkout back. Otherwise
    the checkout stays as it is, and the command that reverts the work is printed (exit code 3).

    \b
    Examples:
      treadle undo last
      treadle undo --commits last
    """
    report = asyncio.run(undo_run(row, context.environment, commits_only=commits))
    for line in _lines(report, row):
        click.echo(sanitize(line))
    if report.is_empty:
        click.echo(f"There is nothing to undo for run {short_id(row.id)}.", err=True)
    if isinstance(report.landing, UndoRefused):
        click.echo(sanitize(f"left your checkout as it is: {report.landing.reason}"), err=True)
        click.echo(f"  {report.landing.command}", err=True)
        return PERSON_NEEDED
    return DONE


def _lines(report: UndoReport, row: RunRow) -> list[str]:
    run = short_id(row.id)
    lines = [f"restored {branch}" for branch in report.branches]
    if report.workspace:
        lines.append(f"restored the workspace {report.workspace}")
    for each in report.commits:
        lines += [
            f"restored commit {each.commit[:8]} {each.subject}",
            f"  git branch {_branch_name(each.ref, run)} {each.ref}",
        ]
    if report.commits:
        lines.append("  These commits were not searched for secrets. Check before you push them.")
    if isinstance(report.landing, CheckoutRestored):
        lines += [
            f"undid the landing: {row.project_path} is at {report.landing.head[:8]} again",
            f"  treadle land {run}    # lands it again",
        ]
    return lines


def _branch_name(ref: str, run: str) -> str:
    """A name for a branch at the ref: such as `restored-8157602b-dropped-1`."""
    *_, folder, number = ref.split("/")
    return f"restored-{run}-{folder}-{number}"
