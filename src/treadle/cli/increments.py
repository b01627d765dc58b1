"""`treadle increments`: lists, adds and draws the increments of a project."""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.json_output import encode_json
from treadle.domain.errors import UsageError
from treadle.runs.increments import (
    ProjectIncrements,
    add_increment,
    list_increments,
    require_no_cycle,
)

if TYPE_CHECKING:
    from treadle.cli.terminal.styled_lines import Line

PROJECT = click.option(
    "-p", "--project-dir", metavar="DIR", help="The project (default: this directory)."
)
NOTHING_YET = "No increments yet: add one with `treadle increments add`."
_LONGEST_TITLE = 80


@click.group(name="increments")
def command() -> None:
    """Manage increments: pieces of work with dependencies, for `treadle auto`.

    Each increment is a folder in .treadle/increments, such as 0001-login, with a spec.md.

    \b
    Example:
      treadle increments ls
    """


@command.command("ls")
@PROJECT
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.pass_obj
def list_(context: CommandContext, *, project_dir: str | None, as_json: bool) -> None:
    """List increments with their status, and folders that cannot be used.

    \b
    Example:
      treadle increments ls --json
    """
    increments = _increments(context, project_dir)
    if as_json:
        click.echo(encode_json(_document(increments)))
    elif not increments.found.increments and not increments.found.problems:
        click.echo(NOTHING_YET, err=True)
    else:
        _draw(context, increments)


@command.command()
@click.argument("words", metavar="WORDS", nargs=-1)
@click.option(
    "--spec", metavar="FILE", type=click.Path(), help="Read its specification from FILE (-: stdin)."
)
@click.option(
    "--depends-on",
    metavar="A,B",
    default="",
    help="Increments that must be done before it, by name or number.",
)
@PROJECT
@click.pass_obj
def add(
    context: CommandContext,
    words: tuple[str, ...],
    *,
    spec: str | None,
    depends_on: str,
    project_dir: str | None,
) -> None:
    """Add an increment. WORDS are its title and, without --spec, its specification.

    \b
    Example:
      treadle increments add "Log in by e-mail" --depends-on 1
    """
    title = " ".join(" ".join(words).split())
    text = title if spec is None else _specification(context, spec)
    needed = [each.strip() for each in depends_on.split(",") if each.strip()]
    project = context.project(project_dir)
    name = add_increment(project, title[:_LONGEST_TITLE], text=text, depends_on=needed)
    click.echo(f"Added .treadle/increments/{name}/spec.md")


@command.command()
@PROJECT
@click.option("--mermaid", is_flag=True, help="Print a Mermaid flowchart, which GitHub renders.")
@click.pass_obj
def graph(context: CommandContext, *, project_dir: str | None, mermaid: bool) -> None:
    """Draw the dependencies of increments.

    \b
    Example:
      treadle increments graph --mermaid
    """
    from treadle.cli.terminal.increment_table import increment_graph
    from treadle.views.increment_text import mermaid_graph

    increments = _increments(context, project_dir)
    require_no_cycle(increments)
    if not increments.found.increments:
        click.echo(NOTHING_YET, err=True)
    elif mermaid:
        click.echo("\n".join(mermaid_graph(increments.found, increments.statuses)))
    else:
        _print(context, increment_graph(increments.in_order(), increments.statuses))


def _increments(context: CommandContext, project_dir: str | None) -> ProjectIncrements:
    storage = context.in_project(project_dir).environment.storage
    return list_increments(storage, context.project(project_dir))


def _document(increments: ProjectIncrements) -> dict[str, Any]:
    return {
        "increments": [
            {**asdict(each), "status": increments.statuses[each.name]}
            for each in increments.found.increments
        ],
        "problems": [asdict(each) for each in increments.found.problems],
        "cycle": list(increments.cycle),
    }


def _draw(context: CommandContext, increments: ProjectIncrements) -> None:
    # Here, because programs that ask for JSON many times should not wait for what draws.
    from treadle.cli.terminal.increment_table import increment_table
    from treadle.cli.terminal.screen import detect_screen

    options = detect_screen(sys.stdout, context.environment).render_options(sys.stdout)
    found, statuses, cycle = increments.found, increments.statuses, increments.cycle
    _print(context, increment_table(found, statuses, options, cycle=cycle))


def _print(context: CommandContext, lines: list["Line"]) -> None:
    from treadle.cli.terminal.screen import detect_screen, print_lines

    print_lines(lines, sys.stdout, detect_screen(sys.stdout, context.environment))


def _specification(context: CommandContext, named: str) -> str:
    try:
        if named == "-":
            return sys.stdin.read()
        return context.path(named).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"cannot read {named}: {why}", hint="name a text file") from None
