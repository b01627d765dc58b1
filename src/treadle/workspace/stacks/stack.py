"""The commands of one language in one directory, and how to join several. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Stack:
    """One language's commands; empty where its files name none."""

    language: str
    setup: str = ""
    check: str = ""
    test: str = ""
    # Lines for .gitignore: what the commands write that is no work.
    ignored: tuple[str, ...] = ()
    # Precedes a program that needs the environment that the setup makes.
    run: str = ""


def chain(*commands: str) -> str:
    """Join the commands with `&&`, without empty ones and repeats."""
    distinct = list(dict.fromkeys(command for command in commands if command))
    if len(distinct) < 2:
        return "".join(distinct)
    return " && ".join(f"({each})" if _has_alternative(each) else each for each in distinct)


def run_all(commands: Sequence[str]) -> str:
    """Run each command, and fail if one did: red tests must not hide those of the next one."""
    distinct = list(dict.fromkeys(command for command in commands if command))
    if len(distinct) < 2:
        return "".join(distinct)
    parts = [f"{_in_subshell(command)} || code=$?" for command in distinct]
    return "; ".join(["code=0", *parts, "exit $code"])


def in_folder(folder: str, command: str) -> str:
    """The command, run in a folder of the project."""
    return f"({chain(f'cd {folder}', command)})" if command and folder != "." else command


def table(settings: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """A nested table; empty if there is none."""
    for name in names:
        value = settings.get(name)
        settings = value if isinstance(value, Mapping) else {}
    return settings


def _in_subshell(command: str) -> str:
    return command if command.startswith("(cd ") else f"({command})"


def _has_alternative(command: str) -> bool:
    """Whether a failure before it would be taken for its own."""
    return " || " in command and not command.startswith("(")
