"""The `treadle` command line: loads commands lazily and prints an error as one line with a hint."""

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

import click

from treadle.cli.commands import COMMANDS, GROUPS, load_command
from treadle.cli.context import CommandContext
from treadle.cli.streams import fill_closed_streams, flush_all
from treadle.cli.usage_errors import usage_error
from treadle.domain.errors import TreadleError, UsageError
from treadle.domain.exit_reasons import INTERRUPTED, MEANINGS
from treadle.settings.environment import Environment, parse_environment, process_environment


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
        return load_command(cmd_name)

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
        width = max(map(len, COMMANDS))
        for title, commands in GROUPS.items():
            with formatter.section(title):
                # One column for all groups.
                formatter.write_dl([(f"{name:<{width}}", text) for name, text in commands.items()])

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
        return print_error(UsageError(gone, hint="change to an existing directory"))
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
        return print_error(_redact_error(usage_error(error), context.environment))
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
