"""`treadle doctor`: checks this machine and this project, with the fix for each finding."""

import asyncio
import json
from dataclasses import asdict

import click

from treadle.cli.context import CommandContext
from treadle.runs.doctor import DoctorFinding, Verdict, examine

MARKS: dict[Verdict, str] = {"good": "✔", "warning": "!", "bad": "✘"}
COLOURS: dict[Verdict, str] = {"good": "green", "warning": "yellow", "bad": "red"}


@click.command("doctor")
@click.option("-p", "--project-dir", metavar="DIR", help="The project (default: this directory).")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.pass_obj
def command(context: CommandContext, project_dir: str | None, *, as_json: bool) -> int:
    """Check this machine and this project. Exit code 1 when something must be put right."""
    findings = asyncio.run(examine(context.project(project_dir), context.environment))
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        plain = context.environment.no_color
        for finding in findings:
            _print_finding(finding, color=None if not plain else False)
    return 1 if any(finding.verdict == "bad" for finding in findings) else 0


def _print_finding(finding: DoctorFinding, *, color: bool | None) -> None:
    mark = click.style(MARKS[finding.verdict], fg=COLOURS[finding.verdict])
    click.echo(f"{mark} {finding.name:9} {finding.text}", color=color)
    if finding.fix:
        click.echo(f"            {finding.fix}", color=color)
