"""The command line: commands loaded only when used, and errors as one line with what to do."""

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click

from treadle.cli.context import Given
from treadle.domain.errors import TreadleError
from treadle.domain.run import EXIT_USAGE
from treadle.settings.environment import environment_from, given_environment

# name -> (module, one line for the help)
COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("treadle.cli.init", "Set a project up: detect, ask, write treadle.toml."),
    "doctor": ("treadle.cli.doctor", "Check this machine and this project, with the fix for each."),
    "deliver": ("treadle.cli.deliver", "Take SPEC.md to finished, committed work."),
    "status": ("treadle.cli.status", "This project's deliverables and its live run."),
    "ls": ("treadle.cli.ls", "List runs."),
    "show": ("treadle.cli.show", "Everything about one run, and what to do next."),
    "logs": ("treadle.cli.logs", "The events of a run, also live."),
    "diff": ("treadle.cli.diff", "What a run changed."),
    "land": ("treadle.cli.land", "Bring a run's work into this checkout."),
    "rehearse": ("treadle.cli.rehearse", "Run a workflow with a scripted model."),
    "demo": ("treadle.cli.demo", "See it work in a minute, without an account."),
    "config": ("treadle.cli.config", "Show the settings in force, or their schema."),
}

EPILOG = """
\b
Exit codes:
  0  done
  1  error
  2  wrong usage or settings
  3  waiting for a person, or everything is blocked
  4  authentication: the agent has no valid login
  5  ended without success: a limit was reached, or retries ran out
  6  the provider's usage quota is spent
  130  interrupted
"""


class Commands(click.Group):
    """Loads a command's module when that command is asked for, and not before."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(COMMANDS[cmd_name][0]).command
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] == "help":
            args = [*args[1:2], "--help"] if len(args) > 1 else ["--help"]
            if args == ["--help"]:
                click.echo(ctx.get_help())
                ctx.exit(0)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(
    cls=Commands,
    invoke_without_command=True,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(
    None, "--version", "-V", package_name="treadle", message="treadle %(version)s"
)
@click.pass_context
def treadle(ctx: click.Context) -> None:
    """Keeps coding agents working unattended and brings back verified work."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    given = Given(environment_from(given_environment()), Path.cwd())
    return run_given(arguments, given)


def run_given(arguments: Sequence[str], given: Given) -> int:
    try:
        code = treadle.main(list(arguments), prog_name="treadle", standalone_mode=False, obj=given)
    except click.exceptions.Abort:
        return 130
    except click.ClickException as error:
        error.show(file=sys.stderr)
        return EXIT_USAGE
    except TreadleError as error:
        complain(error)
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output went away (`| head`); that is its right, not an error.
        sys.stderr.close()
        return 0
    return code if isinstance(code, int) else 0


def complain(error: TreadleError) -> None:
    """One clear line, and what to do next."""
    click.echo(f"treadle: {error.message}", err=True)
    if error.hint:
        click.echo(f"  hint: {error.hint}", err=True)
