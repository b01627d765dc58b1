"""`treadle trust`: shows what a project's treadle.toml opens, and lets it."""

import sys
from collections.abc import Sequence

import click

from treadle.cli.context import Given
from treadle.domain.errors import UsageError
from treadle.settings.file import FILE
from treadle.settings.load import load
from treadle.settings.openings import Opening, openings
from treadle.wiring.sound_settings import require_sound
from treadle.wiring.trust import all_trusted, not_trusted, take_back, trust


@click.command("trust")
@click.option("-p", "--project-dir", metavar="DIR", help="The project (default: this directory).")
@click.option("--yes", "-y", is_flag=True, help="Trust it without a question: for scripts.")
@click.option("--list", "action", flag_value="list", help="What is trusted, in all projects.")
@click.option("--revoke", "action", flag_value="revoke", help="Trust this project no longer.")
@click.pass_obj
def command(given: Given, project_dir: str | None, action: str | None, *, yes: bool) -> int:
    """Show what the project's treadle.toml opens, and let it, if you say so.

    A file that comes with a repository can widen the sandbox, and name a program or a database.
    Nothing of that counts until you have trusted it; a changed value has to be trusted again.
    What you say by an option or a variable always counts.
    """
    if action == "list":
        return _list(given)
    if action == "revoke":
        return _revoke(given, project_dir)
    return _trust(given, project_dir, yes=yes)


def _trust(given: Given, project_dir: str | None, *, yes: bool) -> int:
    project = given.project(project_dir)
    # What the file says: a variable may hide it today, and be gone tomorrow.
    resolved = load(project)
    require_sound(resolved.settings, given.environment, project)
    found = openings(resolved)
    if not found:
        click.echo(f"{FILE} in {project} opens nothing: there is nothing to trust.", err=True)
        return 0
    click.echo(f"{FILE} in {project} opens:")
    _show(found)
    if not not_trusted(given.environment, project, resolved):
        click.echo("All of it is trusted already.", err=True)
        return 0
    if not yes and not _says_yes():
        click.echo("Not trusted.", err=True)
        return 1
    trust(given.environment, project, found)
    click.echo("Trusted. `treadle trust --revoke` takes it back.", err=True)
    return 0


def _says_yes() -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "trust asks a question, and there is no terminal to ask it on",
            hint="read what it opens, then pass --yes: treadle trust --yes",
        )
    return click.confirm("Trust it with that?", default=False, err=True)


def _show(found: Sequence[Opening]) -> None:
    for each in found:
        click.echo(f"  {each.key} = {each.shown}: {each.opens}")


def _list(given: Given) -> int:
    found = all_trusted(given.environment)
    if not found:
        click.echo("No project is trusted with anything.", err=True)
    for each in found:
        since = f"{each.since.astimezone():%Y-%m-%d %H:%M}" if each.since else ""
        click.echo(f"{each.project}  {since}  {', '.join(each.values)}")
    return 0


def _revoke(given: Given, project_dir: str | None) -> int:
    project = given.project(project_dir)
    if not take_back(given.environment, project):
        raise UsageError(
            f"{project} is trusted with nothing", hint="see what is with `treadle trust --list`"
        )
    click.echo(f"{project} is trusted no longer.", err=True)
    return 0
