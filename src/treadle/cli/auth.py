"""`treadle auth`: stores, lists and removes credentials. Never prints one."""

import json
import sys

import click

from treadle.cli.context import CommandContext
from treadle.domain.errors import UsageError
from treadle.runs.credentials import delete_credential, list_credentials, store_credential


@click.group(name="auth")
def command() -> None:
    """Hand credentials over to Treadle, list them, take them back."""


# Accepted here and refused by us: an error of click would repeat the secret that was typed.
_ANYTHING = {"allow_extra_args": True, "ignore_unknown_options": True}


@command.command("set", context_settings=_ANYTHING)
@click.argument("name")
@click.pass_context
def set_(context: click.Context, name: str) -> None:
    """Keep the credential NAME; it is read from standard input, or asked for without showing it.

    Names: anthropic-api-key, claude-oauth-token, github-token, github-enterprise-token.
    """
    command_context: CommandContext = context.obj
    if context.args:
        raise UsageError(
            "a credential is never given on the command line, where others can see it",
            hint="run `treadle auth set NAME` alone, or send it by standard input; what you typed"
            " is in your shell's history now",
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
    """Names and dates of the credentials that are kept."""
    credentials = list_credentials(command_context.environment)
    if as_json:
        rows = [{"name": h.credential.name, "since": h.since.isoformat()} for h in credentials]
        click.echo(json.dumps(rows, indent=2))
        return
    if not credentials:
        click.echo("No credential is kept. Hand one over with `treadle auth set NAME`.", err=True)
    for each in credentials:
        note = f"  not used: {each.outranked_by} is set" if each.outranked_by else ""
        click.echo(f"{each.credential.name:24} {each.since.astimezone():%Y-%m-%d %H:%M}{note}")


@command.command("rm")
@click.argument("name")
@click.pass_obj
def remove(command_context: CommandContext, name: str) -> None:
    """Forget the credential NAME. It stays valid where it was made: revoke it there."""
    if not delete_credential(command_context.environment, name):
        raise UsageError(f"no {name} is kept", hint="see what is with `treadle auth list`")
    click.echo(f"forgot {name}; revoke it where it was made if it could be known", err=True)
