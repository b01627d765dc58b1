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
@click.option("--yes", "-y", is_flag=True, help="Trust it without a question: for scripts.")
@click.option("--list", "action", flag_value="list", help="What is trusted, in all projects.")
@click.option("--revoke", "action", flag_value="revoke", help="Trust this project no longer.")
@click.pass_obj
def command(
    context: CommandContext, project_dir: str | None, action: str | None, *, yes: bool
) -> int:
    """Show what the project's treadle.toml opens, and let it, if you say so.

    A file that comes with a repository can widen the sandbox, and name a program or a database.
    Nothing of that counts until you have trusted it; a changed value has to be trusted again.
    What you say by an option or a variable always counts.
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
        click.echo(
            f"{SETTINGS_FILE} in {project} opens nothing: there is nothing to trust.", err=True
        )
        return 0
    click.echo(f"{SETTINGS_FILE} in {project} opens:")
    _print_requirements(requirements)
    for name in agent_program_files(resolved.settings.agent, context.environment, project):
        click.echo(f"  {name} is in the project: no agent may change it, and no commit of one does")
    if not not_trusted(context.environment, project, resolved):
        click.echo("All of it is trusted already.", err=True)
        return 0
    if not yes and not _confirm():
        click.echo("Not trusted.", err=True)
        return 1
    trust(context.environment, project, requirements)
    click.echo("Trusted. `treadle trust --revoke` takes it back.", err=True)
    return 0


def _confirm() -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "trust asks a question, and there is no terminal to ask it on",
            hint="read what it opens, then pass --yes: treadle trust --yes",
        )
    return click.confirm("Trust it with that?", default=False, err=True)


def _print_requirements(requirements: Sequence[TrustRequirement]) -> None:
    for each in requirements:
        click.echo(f"  {each.key} = {each.text}: {each.effect}")


def _list(context: CommandContext) -> int:
    projects = all_trusted(context.environment)
    if not projects:
        click.echo("No project is trusted with anything.", err=True)
    for each in projects:
        since = f"{each.since.astimezone():%Y-%m-%d %H:%M}" if each.since else ""
        click.echo(f"{each.project}  {since}  {', '.join(each.values)}")
    return 0


def _revoke(context: CommandContext, project_dir: str | None) -> int:
    project = context.project(project_dir)
    if not revoke_trust(context.environment, project):
        raise UsageError(
            f"{project} is trusted with nothing", hint="see what is with `treadle trust --list`"
        )
    click.echo(f"{project} is trusted no longer.", err=True)
    return 0
