"""`treadle config`: prints the settings in force with their origin, and the schema of the file."""

import json
from typing import Any

import click
from click.shell_completion import CompletionItem

from treadle.cli.context import CommandContext
from treadle.domain.errors import UsageError
from treadle.runs.trust import not_trusted
from treadle.settings.keys import known_keys
from treadle.settings.load import load_settings
from treadle.settings.name_suggestion import hint_for
from treadle.settings.settings_table import SettingRow, format_row, format_table, setting_rows
from treadle.views.safe_text import escape_json


def complete_keys(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The settings by name, for the shell's completion."""
    keys = known_keys().values()
    return [
        CompletionItem(key.name, help=key.help) for key in keys if key.name.startswith(incomplete)
    ]


@click.group(name="config")
def command() -> None:
    """Show the settings in effect, or their schema.

    \b
    Example:
      treadle config show limits.max_cost_usd
    """


@command.command()
@click.argument("key", metavar="[KEY]", default="", shell_complete=complete_keys)
@click.option("-p", "--project-dir", metavar="DIR", help="The project (default: this directory).")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="One JSON object; keys are full names: limits.max_cost_usd.",
)
@click.pass_obj
def show(context: CommandContext, key: str, project_dir: str | None, *, as_json: bool) -> None:
    """Show every setting, its value and its origin. With KEY, explain one setting.

    \b
    Examples:
      treadle config show
      treadle config show limits.max_cost_usd
    """
    project = context.project(project_dir)
    resolved = load_settings(project, environment=context.environment.raw)
    untrusted = [each.key for each in not_trusted(context.environment, project, resolved)]
    rows = setting_rows(resolved, not_trusted=untrusted)
    if key:
        rows = tuple(row for row in rows if row.key == key)
        if not rows:
            raise UsageError(f"there is no setting {key!r}", hint=hint_for(key))
    if as_json:
        document = {row.key: _as_object(row) for row in rows}
        text = json.dumps(document, indent=2, ensure_ascii=False, default=str)
        click.echo(escape_json(text))
    else:
        click.echo(format_row(rows[0]) if key else format_table(rows))


def _as_object(row: SettingRow) -> dict[str, Any]:
    replaced = {"replaced": dict(row.replaced)} if row.replaced else {}
    return {"value": row.value, "origin": row.origin, **replaced}


@command.command()
def schema() -> None:
    """Print the JSON Schema of treadle.toml.

    \b
    Example:
      treadle config schema > treadle.schema.json
    """
    from treadle.settings.json_schema import schema_text

    click.echo(schema_text(), nl=False)
