"""Errors of the command line parser in the style of all others: one line, and what to do next."""

from collections.abc import Iterable
from difflib import get_close_matches

import click

from treadle.domain.errors import UsageError

# Names that other tools have for the same command.
OTHER_NAMES = {
    "abort": "cancel",
    "build": "deliver",
    "complete": "completion",
    "continue": "resume",
    "history": "ls",
    "list": "ls",
    "login": "auth",
    "merge": "land",
    "ps": "ls",
    "run": "deliver",
    "runs": "ls",
    "settings": "config",
    "start": "deliver",
    "stop": "cancel",
    "yes": "approve",
    "no": "deny",
}


def usage_error(error: click.ClickException) -> UsageError:
    """The error with the nearest name, or the help page, as its hint."""
    message = error.message
    if isinstance(error, click.BadParameter):
        message = error.format_message()
    names = _suggestions(error)
    hint = f"did you mean {' or '.join(names)}?" if names else _help_hint(error)
    return UsageError(f"{message[:1].lower()}{message[1:].rstrip('.')}", hint=hint)


def _suggestions(error: click.ClickException) -> Iterable[str]:
    match error:
        case click.NoSuchOption():
            return error.possibilities or ()
        case click.NoSuchCommand(ctx=click.Context() as context):
            group = context.command
            known = group.list_commands(context) if isinstance(group, click.Group) else []
            other = OTHER_NAMES.get(error.command_name, "")
            near = get_close_matches(error.command_name, known, n=2)
            if context.parent is None and error.command_name == "version":
                return ["--version"]
            return [other] if other in known else near
        case _:
            return ()


def _help_hint(error: click.ClickException) -> str:
    if isinstance(error, click.UsageError) and error.ctx is not None:
        return f"see `{error.ctx.command_path} --help`"
    return ""
