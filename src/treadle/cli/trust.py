"""`treadle trust`: reviews and accepts what a project's treadle.toml permits."""

import sys
from collections.abc import Sequence

import click

from treadle.cli.context import CommandContext
from treadle.domain.errors import UsageError
from treadle.runs.trust import all_trusted, not_trusted, revoke_trust, trust
from treadle.settings.load import load_settings
from treadle.settings.trust_requirements import TrustRequirement, find_trust_requirements
from treadle.wiring.protected_paths import agent_program_files
from treadle.wiring.validate_settings import require_valid
from treadle.workspace.project_root import SETTINGS_FILE


@click.command("trust")
@click.option("-p", "--project-dir", metavar="DIR", help="The project (default: this directory).")
@click.option("--yes", "-y", is_flag=True, help="Accept without asking, for scripts.")
@click.option("--list", "action", flag_value="list", help="List what is accepted, in all projects.")
@click.option(
    "--revoke", "action", flag_value="revoke", help="Withdraw acceptance for this project."
)
@click.pass_obj
def command(
    context: CommandContext, project_dir: str | None, action: str | None, *, yes: bool
) -> int:
    """Show what the project's treadle.toml permits, and accept it if you agree.

    A file that comes with a repository can widen the sandbox, or name a program or a database.
    Such values have no effect until you accept them. A changed value must be accepted again.
    Options and variables that you set yourself need no trust.

    \b
    Example:
      treadle trust
    """
    if action == "list":
        return _list(context)
    if action == "revoke":
        return _revoke(context, project_dir)
    return _trust(context, project_dir, yes=yes)


def _trust(context: CommandContext, project_dir: str | None, *, yes: bool) -> int:
    project = context.project(project_dir)
    # The file alone: a variable that overrides it today may be unset tomorrow.
    resolved = load_settings(project)
    require_valid(resolved.settings, context.environment, project)
    requirements = find_trust_requirements(resolved)
    if not requirements:
        click.echo(f"{SETTINGS_FILE} in {project} permits nothing that needs trust.", err=True)
        return 0
    click.echo(f"{SETTINGS_FILE} in {project} opens:")
    _print_requirements(requirements)
    for name in agent_program_files(resolved.settings.agent, context.environment, project):
        click.echo(f"  {name} is in the project. Agents cannot change it.")
    if not not_trusted(context.environment, project, resolved):
        click.echo("You have accepted all of it.", err=True)
        return 0
    if not yes and not _confirm():
        click.echo("Not trusted.", err=True)
        return 1
    trust(context.environment, project, requirements)
    click.echo("Accepted. `treadle trust --revoke` withdraws this.", err=True)
    return 0


def _confirm() -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "trust asks a question, but there is no terminal",
            hint="read what it permits, then pass --yes: treadle trust --yes",
        )
    return click.confirm("Accept this?", default=False, err=True)


def _print_requirements(requirements: Sequence[TrustRequirement]) -> None:
    for each in requirements:
        click.echo(f"  {each.key} = {each.text}: {each.effect}")


def _list(context: CommandContext) -> int:
    projects = all_trusted(context.environment)
    if not projects:
        click.echo("You have accepted nothing for any project.", err=True)
    for each in projects:
        since = f"{each.since.astimezone():%Y-%m-%d %H:%M}" if each.since else ""
        click.echo(f"{each.project}  {since}  {', '.join(each.values)}")
    return 0


def _revoke(context: CommandContext, project_dir: str | None) -> int:
    project = context.project(project_dir)
    if not revoke_trust(context.environment, project):
        raise UsageError(
            f"you have accepted nothing for {project}",
            hint="see what you have accepted: treadle trust --list",
        )
    click.echo(f"Withdrawn for {project}.", err=True)
    return 0
