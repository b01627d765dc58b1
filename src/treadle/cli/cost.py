"""`treadle cost`: what was spent, by day, run, model or project. Loads no events."""

import sys
from datetime import datetime
from typing import get_args

import click

from treadle.cli.context import CommandContext
from treadle.cli.json_output import encode_json
from treadle.cli.time_options import TimeParamType
from treadle.domain.ledger import CostGroup
from treadle.runs.cost import report_cost


@click.command("cost")
@click.option(
    "--by",
    type=click.Choice(get_args(CostGroup)),
    default="day",
    help="Group by this (day).",
)
@click.option(
    "--since",
    type=TimeParamType(),
    metavar="WHEN",
    help="Only costs since 2026-05-04, or in the last 30m, 12h, 7d or 2w.",
)
@click.option("--rehearsals", is_flag=True, help="Show what rehearsals would have cost.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.pass_obj
def command(
    context: CommandContext,
    *,
    by: CostGroup,
    since: datetime | None,
    rehearsals: bool,
    as_json: bool,
) -> None:
    """Show what model requests cost.

    INPUT, OUTPUT, WRITTEN and READ count tokens; WRITTEN and READ are those of the cache. SHARE is
    the part of a subscription's usage window that was used. Subscriptions are not billed by token.

    \b
    Example:
      treadle cost --by model --since 7d
    """
    environment = context.in_project(None).environment
    report = report_cost(environment.storage, by, since=since, rehearsal=rehearsals)
    if as_json:
        click.echo(encode_json(report))
        return
    if not report.lines:
        others = "" if rehearsals else "; what rehearsals would have cost: --rehearsals"
        click.echo(f"Nothing was spent{' since then' if since else ''}{others}.", err=True)
        return
    # Here, because programs that ask for JSON many times should not wait for what draws.
    from treadle.cli.terminal.cost_table import cost_table, note_lines
    from treadle.cli.terminal.screen import detect_screen, print_lines

    screen = detect_screen(sys.stdout, environment)
    print_lines([*cost_table(report), *note_lines(report)], sys.stdout, screen)
