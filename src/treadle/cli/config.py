"""`treadle config`: prints the settings in force with their origin, and the schema of the file."""

import json

import click

from treadle.cli.context import CommandContext
from treadle.runs.trust import not_trusted
from treadle.settings.load import load_settings
from treadle.settings.settings_table import format_table, setting_rows
from treadle.views.safe_text import escape_json


@click.group(name="config")
def command() -> None:
    """Show the settings in force, or their schema."""


@command.command()
@click.option("-p", "--project-dir", metavar="DIR", help="The project; default: this directory.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, keys as in treadle.toml.")
@click.pass_obj
def show(context: CommandContext, project_dir: str | None, *, as_json: bool) -> None:
    """Every setting, its value, and where the value comes from."""
    project = context.project(project_dir)
    resolved = load_settings(project, environment=context.environment.raw)
    untrusted = [each.key for each in not_trusted(context.environment, project, resolved)]
    rows = setting_rows(resolved, not_trusted=untrusted)
    if as_json:
        document = {row.key: {"value": row.value, "origin": row.origin} for row in rows}
        text = json.dumps(document, indent=2, ensure_ascii=False, default=str)
        click.echo(escape_json(text))
    else:
        click.echo(format_table(rows))


@command.command()
def schema() -> None:
    """The JSON Schema of treadle.toml."""
    from treadle.settings.json_schema import schema_text

    click.echo(schema_text(), nl=False)
