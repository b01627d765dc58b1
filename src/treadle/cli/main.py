"""The `treadle` command line: loads commands lazily and prints an error as one line with a hint."""

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.streams import fill_closed_streams, flush_all
from treadle.domain.errors import TreadleError, UsageError
from treadle.domain.exit_reasons import INTERRUPTED, MEANINGS
from treadle.settings.environment import Environment, parse_environment, process_environment

# name -> (module, one line for the help)
COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("treadle.cli.init", "Set a project up: detect, ask, write treadle.toml."),
    "doctor": ("treadle.cli.doctor", "Check this machine and this project, with the fix for each."),
    "deliver": ("treadle.cli.deliver", "Take SPEC.md to finished, committed work."),
    "task": ("treadle.cli.task", "Plan one task, ask, and build it on a branch of its own."),
    "sync": ("treadle.cli.sync", "Judge the deliverables anew; changes no file of yours."),
    "focus": ("treadle.cli.focus", "Plan, build task by task, review against the specs."),
    "attach": ("treadle.cli.attach", "Watch a run that works elsewhere, until it ends."),
    "resume": ("treadle.cli.resume", "Go on with a run where it stopped."),
    "retry": ("treadle.cli.retry", "Let a run that gave up try again."),
    "cancel": ("treadle.cli.cancel", "End a run from any terminal; its work is kept."),
    "worker": ("treadle.cli.worker", "Run what was detached, and what lost its process."),
    "status": ("treadle.cli.status", "This project's deliverables and its live run."),
    "ls": ("treadle.cli.ls", "List runs."),
    "show": ("treadle.cli.show", "Everything about one run, and what to do next."),
    "logs": ("treadle.cli.logs", "The events of a run, also live."),
    "cost": ("treadle.cli.cost", "What was spent, by day, run, model or project."),
    "verify": ("treadle.cli.verify", "Look at the evidence of a run again."),
    "diff": ("treadle.cli.diff", "What a run changed."),
    "land": ("treadle.cli.land", "Bring a run's work into this checkout."),
    "check": ("treadle.cli.check", "Commands that show whether a criterion holds."),
    "approvals": ("treadle.cli.approvals", "What runs wait for a person to say."),
    "approve": ("treadle.cli.approve", "Say yes to what a run asks."),
    "deny": ("treadle.cli.deny", "Say no to what a run asks."),
    "reply": ("treadle.cli.reply", "Answer what a run asks in your own words."),
    "clean": ("treadle.cli.clean", "Remove what old runs left whose work is elsewhere."),
    "rehearse": ("treadle.cli.rehearse", "Run a workflow with a scripted model."),
    "demo": ("treadle.cli.demo", "See it work in a minute, without an account."),
    "auth": ("treadle.cli.auth", "Hand credentials over, list them, take them back."),
    "policy": ("treadle.cli.policy", "Ask what the shell policy says, or list its rules."),
    "trust": ("treadle.cli.trust", "See what treadle.toml opens, and let it."),
    "config": ("treadle.cli.config", "Show the settings in force, or their schema."),
}


@contextmanager
def exit_on_closed_pipe() -> Iterator[None]:
    """A reader that closes the pipe (`| head`) ends a command without an error."""
    try:
        yield
    except BrokenPipeError:
        raise click.exceptions.Exit(0) from None


class LazyCommands(click.Group):
    """Loads a command's module only when that command is used."""

    def make_context(self, *arguments: Any, **extra: Any) -> click.Context:
        with exit_on_closed_pipe():
            return super().make_context(*arguments, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with exit_on_closed_pipe():
            return super().invoke(ctx)

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

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), text) for code, text in MEANINGS.items()])


@click.group(
    cls=LazyCommands,
    invoke_without_command=True,
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
    """Run one command line in this process, on its own streams, and return its exit code."""
    fill_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A name that cannot be encoded must not stop the output.
        sys.stdout.reconfigure(errors="replace")
    try:
        context = CommandContext(parse_environment(process_environment()), Path.cwd())
    except OSError as error:
        gone = f"the current directory cannot be used: {error.strerror}"
        return print_error(UsageError(gone, hint="change to one that is there"))
    sys.excepthook = partial(_print_crash, context.environment)
    code = run_command(arguments, context)
    refused = flush_all()
    return print_error(_output_error(refused)) if refused and not code else code


def run_command(arguments: Sequence[str], context: CommandContext) -> int:
    try:
        code = treadle.main(
            list(arguments), prog_name="treadle", standalone_mode=False, obj=context
        )
    except click.exceptions.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        with suppress(BrokenPipeError):
            error.show(file=sys.stderr)
        return UsageError.exit_code
    except TreadleError as error:
        return print_error(_redact_error(error, context.environment))
    except OSError as error:
        # Commands handle the errors they expect; this is a disk or a stream that fails.
        return print_error(_redact_error(_output_error(error), context.environment))
    return code if isinstance(code, int) else 0


def print_error(error: TreadleError) -> int:
    """Print one line and a hint; returns the exit code of the error."""
    with suppress(BrokenPipeError):
        click.echo(f"treadle: {error.message}", err=True)
        if error.hint:
            click.echo(f"  hint: {error.hint}", err=True)
    return error.exit_code


def _redact_error(error: TreadleError, environment: Environment) -> TreadleError:
    from treadle.cli.redacted_errors import redact_secrets

    error.message, error.hint = (
        redact_secrets(text, environment) for text in (error.message, error.hint)
    )
    return error


def _print_crash(
    environment: Environment,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
) -> None:
    from treadle.cli.redacted_errors import print_crash

    print_crash(environment, kind, error, trace)


def _output_error(error: OSError) -> TreadleError:
    where = f"{error.filename}: " if error.filename else "cannot write the output: "
    return TreadleError(
        f"{where}{error.strerror}", hint="check the permissions and the space left there"
    )
