"""`treadle doctor`: checks this machine and this project, with the fix for each finding."""

import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path

import click

from treadle.cli.context import CommandContext
from treadle.cli.terminal.palette import Palette
from treadle.cli.terminal.screen import detect_screen
from treadle.runs.doctor import DoctorFinding, Verdict, examine
from treadle.settings.environment import Environment
from treadle.views.safe_text import sanitize

MARKS: dict[Verdict, str] = {"good": "✔", "warning": "!", "bad": "✘"}


@click.command("doctor")
@click.option("-p", "--project-dir", metavar="DIR", help="The project (default: this directory).")
@click.option("--setup", is_flag=True, help="Also run the setup and test commands in the sandbox.")
@click.option("--online", is_flag=True, help="Also ask the model's service about the login.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.pass_obj
def command(
    context: CommandContext, project_dir: str | None, *, setup: bool, online: bool, as_json: bool
) -> int:
    """Check this machine and this project. Exit code 1 if something needs a fix.

    \b
    Examples:
      treadle doctor
      treadle doctor --setup --online
    """
    project, environment = context.project(project_dir), context.environment
    findings = asyncio.run(examine(project, environment))
    if online:
        findings += asyncio.run(_ask_service(project, environment))
    if setup:
        findings += asyncio.run(_try_commands(project, environment))
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        palette = detect_screen(sys.stdout, environment).palette
        for finding in findings:
            _print_finding(finding, palette)
    return 1 if any(finding.verdict == "bad" for finding in findings) else 0


def _print_finding(finding: DoctorFinding, palette: Palette) -> None:
    mark = palette.paint(MARKS[finding.verdict], finding.verdict)
    click.echo(f"{mark} {finding.name:9} {finding.text}")
    for line in (*map(sanitize, finding.output), *filter(None, [finding.fix])):
        click.echo(f"            {line}")


async def _try_commands(project: Path, environment: Environment) -> list[DoctorFinding]:
    # Imported here: most of it is what a run needs.
    from treadle.runs.setup_trial import try_project_commands

    return await try_project_commands(project, environment)


async def _ask_service(project: Path, environment: Environment) -> list[DoctorFinding]:
    from treadle.runs.online_login import check_login_online

    return await check_login_online(project, environment)
