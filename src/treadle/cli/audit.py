"""`treadle audit`: compares the code with the specifications, once."""

from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_options import WorkflowOptions, read_only_options
from treadle.cli.start import start_run


@click.command("audit")
@click.argument("words", metavar="[WORDS]", default="")
@read_only_options
@click.pass_obj
def command(context: CommandContext, /, words: str, **values: Any) -> int:
    """Compare the code with the specifications. WORDS say what to look at first.

    One session reads both and changes no files. Each difference becomes a file in
    `.treadle/discuss`, unless it is known or dismissed in `.treadle/memory.md`. Settle findings
    with `treadle discuss`.

    \b
    Example:
      treadle audit "The dates"
    """
    return start_run(context, WorkflowOptions(**values), "audit", {"words": words})
