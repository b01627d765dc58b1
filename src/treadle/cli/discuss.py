"""`treadle discuss`: lists, shows and dismisses findings and spec issues; starts no agent."""

import click

from treadle.cli.context import CommandContext
from treadle.cli.json_output import encode_json
from treadle.domain.errors import UsageError
from treadle.runs.discuss import Note, dismiss, find_note, list_notes
from treadle.views.safe_text import sanitize
from treadle.workspace.project_root import find_project_root

KINDS = {"finding": "finding", "spec_issue": "spec issue"}


@click.command("discuss")
@click.argument("name", metavar="[NAME]", default="")
@click.option("-p", "--project-dir", metavar="DIR", help="The project (default: this directory).")
@click.option("--dismiss", "dismissed", is_flag=True, help="Settle NAME: remove its file.")
@click.option("--because", metavar="TEXT", default="", help="The reason, for later audits.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array on stdout.")
@click.pass_obj
def command(
    context: CommandContext,
    name: str,
    *,
    project_dir: str | None,
    dismissed: bool,
    because: str,
    as_json: bool,
) -> None:
    """List what audits found and what is unclear in the specifications, or show NAME.

    NAME is a name from the list, or a unique part of one. Dismiss a spec issue once you have
    settled it in the specifications: a watch that waits for it continues. Dismissed findings are
    noted in `.treadle/memory.md`, and audits do not report them again.

    \b
    Example:
      treadle discuss dates --dismiss --because "It is intended"
    """
    given = context.project(project_dir)
    project = find_project_root(given) or given
    if dismissed and not name:
        raise UsageError("--dismiss needs a NAME", hint="list the names: treadle discuss")
    notes = [find_note(project, name)] if name else list_notes(project)
    if dismissed:
        memory = dismiss(project, notes[0], because)
        kept = f"; noted in {memory.name}" if notes[0].kind == "finding" else ""
        click.echo(f"Dismissed {sanitize(notes[0].name)}{kept}.", err=True)
    elif as_json:
        click.echo(encode_json([_document(note) for note in notes]))
    elif name:
        click.echo(sanitize_text(notes[0].text))
    elif not notes:
        click.echo("Nothing to discuss: no findings, no spec issues.", err=True)
    else:
        for note in notes:
            click.echo(f"{KINDS[note.kind]:<10}  {sanitize(note.name)}  {sanitize(note.title)}")


def sanitize_text(text: str) -> str:
    """The lines of a text that agents have written, without what would control the terminal."""
    return "\n".join(sanitize(line) for line in text.rstrip().splitlines())


def _document(note: Note) -> dict[str, str]:
    return {
        "kind": note.kind,
        "name": note.name,
        "title": note.title,
        "path": str(note.path),
        "text": note.text,
    }
