"""`treadle plan`: hands the terminal to the agent as the manager of the project."""

from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_options import WorkflowOptions, planning_options
from treadle.cli.start import start_run
from treadle.domain.errors import UsageError


@click.command("plan")
@click.argument("words", metavar="[WORDS]", nargs=-1)
@planning_options
@click.pass_obj
def command(context: CommandContext, /, words: tuple[str, ...], **values: Any) -> int:
    """Plan with the agent, the manager of the project. WORDS are your first message.

    Your Claude Code opens in this terminal, in the sandbox. It writes specifications, hands over
    backlog items, and settles spec issues and findings with you. It can write nothing else. What it
    wrote lands when you end the session. The exit code is the agent's.

    \b
    Examples:
      treadle plan
      treadle plan "Let us settle the open spec issues"
    """
    options = WorkflowOptions(**values)
    for name, given in (("--detach", options.detach), ("--json", options.json)):
        if given:
            raise UsageError(
                f"`treadle plan` takes no {name}: you talk to the agent in this terminal",
                hint=f"leave {name} out",
            )
    return start_run(context, options, "plan", {"words": " ".join(words)})
