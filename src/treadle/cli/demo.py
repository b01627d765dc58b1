"""`treadle demo`: runs a sample project in a minute, without an account."""

import asyncio
import shlex
import shutil
import tempfile
import textwrap
from dataclasses import replace
from pathlib import Path

import click

from treadle.cli.context import CommandContext
from treadle.cli.rehearse import rehearse
from treadle.runs.demo_project import (
    claim_directory,
    demo_script,
    demo_specification,
    make_demo_project,
)


@click.command("demo")
@click.option("--keep", metavar="DIR", help="Create the sample project in DIR and keep it.")
@click.option("-v", "--verbose", is_flag=True, help="Also show the output of tools.")
@click.pass_obj
def command(context: CommandContext, keep: str | None, *, verbose: bool) -> int:
    """See a whole run in a minute: real Claude Code, a scripted model, a sample project.

    \b
    Example:
      treadle demo --keep /tmp/tally
    """
    if keep:
        directory = context.path(keep).resolve()
        claim_directory(directory)
        code = _demo(context, directory, verbose=verbose)
        where = f"cd {shlex.quote(str(directory / 'tally'))}"
        root = f"export TREADLE_ROOT={shlex.quote(str(directory / 'treadle-root'))}"
        click.echo(f"To look around: {where} && {root}", err=True)
        return code
    with tempfile.TemporaryDirectory(
        prefix="treadle-demo-", ignore_cleanup_errors=True
    ) as temporary:
        without_advice = replace(context, advice="left out")
        code = _demo(without_advice, Path(temporary).resolve(), verbose=verbose)
    click.echo("The sample is removed. To keep it, use `treadle demo --keep DIR`.", err=True)
    return code


def _demo(context: CommandContext, directory: Path, *, verbose: bool) -> int:
    project = directory / "tally"
    git = asyncio.run(make_demo_project(project, search_path=context.environment.path))
    click.echo(f"A sample project is in {project}. Its SPEC.md:\n", err=True)
    click.echo(_wrapped(demo_specification(), shutil.get_terminal_size().columns), err=True)
    click.echo(
        "The model is a script. Claude Code, its tools, git and the tests are real.\n", err=True
    )
    environment = replace(context.environment, root=directory / "treadle-root", database_url="")
    arguments = ("deliver", "-p", str(project), *(["--verbose"] if verbose else []))
    code = rehearse(replace(context, environment=environment), demo_script(directory), arguments)
    log = asyncio.run(git.run("log", "--oneline", "--stat", "--no-decorate"))
    click.echo(f"\n{log}", err=True)
    return code


def _wrapped(text: str, columns: int) -> str:
    """The text, indented and broken at blanks."""
    lines: list[str] = []
    for line in text.splitlines():
        indent = "    " + " " * (len(line) - len(line.lstrip(" -")))
        lines += textwrap.wrap(
            line,
            max(40, columns - 1),
            initial_indent="    ",
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
    return "\n".join((*lines, ""))
