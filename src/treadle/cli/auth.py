"""`treadle auth`: stores, lists and removes credentials. Never prints one."""

import json
import sys

import click

from treadle.cli.context import CommandContext
from treadle.domain.errors import UsageError
from treadle.runs.credentials import delete_credential, list_credentials, store_credential


@click.group(name="auth")
def command() -> None:
    """Store, list and remove credentials.

    \b
    Examples:
      treadle auth set anthropic-api-key
      treadle auth list
    """


# Accepted here and refused by us: an error of click would repeat the secret that was typed.
_ANYTHING = {"allow_extra_args": True, "ignore_unknown_options": True}


@command.command("set", context_settings=_ANYTHING)
@click.argument("name")
@click.pass_context
def set_(context: click.Context, name: str) -> None:
    """Store the credential NAME. Type it at the prompt, or pass it on standard input.

    Names: anthropic-api-key, claude-oauth-token, github-token, github-enterprise-token.

    \b
    Example:
      treadle auth set anthropic-api-key
    """
    command_context: CommandContext = context.obj
    if context.args:
        raise UsageError(
            "credentials are not accepted on the command line, where others can see them",
            hint="run `treadle auth set NAME` and type it at the prompt; what you typed is in your"
            " shell's history now",
        )
    if sys.stdin.isatty():
        value = click.prompt(f"{name} (not shown)", hide_input=True, err=True)
    else:
        value = sys.stdin.read()
    stored = store_credential(command_context.environment, name, value.strip())
    click.echo(f"kept {stored.name}, for {stored.purpose}", err=True)


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON array on stdout.")
@click.pass_obj
def list_(command_context: CommandContext, *, as_json: bool) -> None:
    """List the stored credentials: names and dates.

    \b
    Example:
      treadle auth list --json
    """
    credentials = list_credentials(command_context.environment)
    if as_json:
        rows = [{"name": h.credential.name, "since": h.since.isoformat()} for h in credentials]
        click.echo(json.dumps(rows, indent=2))
        return
    if not credentials:
        click.echo("No credentials stored. Add one with `treadle auth set NAME`.", err=True)
    for each in credentials:
        note = f"  not used: {each.outranked_by} is set" if each.outranked_by else ""
        click.echo(f"{each.credential.name:24} {each.since.astimezone():%Y-%m-%d %H:%M}{note}")


@command.command("rm")
@click.argument("name")
@click.pass_obj
def remove(command_context: CommandContext, name: str) -> None:
    """Remove the credential NAME. It stays valid: revoke it where it was created.

    \b
    Example:
      treadle auth rm anthropic-api-key
    """
    if not delete_credential(command_context.environment, name):
        raise UsageError(f"no {name} is stored", hint="list them with `treadle auth list`")
    click.echo(f"removed {name}; if others may know it, revoke it where it was created", err=True)
