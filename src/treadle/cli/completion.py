"""`treadle completion`: prints the script that completes commands, runs and settings in a shell."""

import click
from click.shell_completion import get_completion_class

VARIABLE = "_TREADLE_COMPLETE"
SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the completion script for SHELL. It completes commands, options, runs and settings.

    \b
    Examples:
      treadle completion bash >> ~/.bashrc
      treadle completion zsh >> ~/.zshrc
      treadle completion fish > ~/.config/fish/completions/treadle.fish
    """
    from treadle.cli.main import treadle

    kind = get_completion_class(shell)
    if kind is None:
        raise AssertionError(f"click knows {shell}")
    click.echo(kind(treadle, {}, "treadle", VARIABLE).source())
