"""`treadle rehearse`: runs a workflow with a scripted model; everything else is real."""

from dataclasses import replace
from pathlib import Path

import click

from treadle.cli.context import CommandContext
from treadle.cli.redacted_errors import redact_secrets
from treadle.domain.agent_kind import ScriptedModel
from treadle.domain.errors import UsageError
from treadle.domain.exit_reasons import INTERRUPTED
from treadle.rehearsal.script import load_script
from treadle.rehearsal.scripted_api import ScriptedApi
from treadle.wiring.agent import Rehearsing
from treadle.workflows.registry import WORKFLOWS


@click.command(
    "rehearse", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.argument("script", metavar="SCRIPT")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND [OPTIONS]...")
@click.pass_obj
def command(context: CommandContext, script: str, arguments: tuple[str, ...]) -> int:
    """Run a workflow with a scripted model: no account, no cost.

    SCRIPT is a YAML file (docs/reference/rehearsal-scripts.md). Claude Code, its tools, git and
    the checks are real. Fails if the script is too short or too long.

    \b
    Example:
      treadle rehearse script.yaml -- deliver --max-iterations 3
    """
    arguments = arguments[1:] if arguments[:1] == ("--",) else arguments
    if not arguments or arguments[0] not in WORKFLOWS:
        raise UsageError(
            "no workflow to rehearse",
            hint="treadle rehearse SCRIPT -- deliver [OPTIONS]",
        )
    return rehearse(context, context.working_directory / Path(script), arguments)


def rehearse(context: CommandContext, path: Path, arguments: tuple[str, ...]) -> int:
    """Play the script to the command; what is wrong with the rehearsal outweighs its exit code."""
    from treadle.cli.main import run_command

    script = load_script(path)
    with ScriptedApi(script) as api:
        rehearsing = Rehearsing(ScriptedModel(api.base_url, script.auth), path)
        code = run_command(arguments, replace(context, rehearsing=rehearsing))
        if _never_started(code, api) or "--detach" in arguments:
            return code
        problems = api.problems()
    for problem in problems:
        click.echo(redact_secrets(f"rehearsal: {problem}", context.environment), err=True)
    return 1 if problems else code


def _never_started(code: int, api: ScriptedApi) -> bool:
    """A command that was refused, or a run that a person stopped, says nothing of the script."""
    return code == INTERRUPTED or (code != 0 and api.request_count == 0)
