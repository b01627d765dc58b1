"""Uses of a file by a command, and what a command names. Types."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

# script: it is run, and its exit code may be all that is looked at; module: the same, by a dotted
# Python name; loaded: what is run depends on it; sourced: a shell reads it as its own; test: given
# to a test runner; compared: one side of a comparison; input: read from standard input; mention:
# any other use.
FileUse: TypeAlias = Literal[
    "script", "module", "loaded", "sourced", "test", "test_module", "compared", "input", "mention"
]


@dataclass(frozen=True, slots=True)
class FileMention:
    """A word that names a file or a module, and what the command does with it."""

    word: str
    use: FileUse


@dataclass(frozen=True, slots=True)
class CallFiles:
    """What a command names, and the shell code and tasks that it runs besides."""

    program: str
    mentions: tuple[FileMention, ...] = ()
    # A line for another shell, such as that of `sh -c`.
    code: str = ""
    # A task runner with its arguments: `npm test`.
    task: tuple[str, ...] = ()
    # Whether its exit code tells how tests or a comparison went.
    is_judge: bool = False
    is_runner: bool = False

    @property
    def operands(self) -> tuple[str, ...]:
        return tuple(mention.word for mention in self.mentions)


def plain_arguments(words: Sequence[str]) -> list[str]:
    """The arguments, and the values of options such as `--config=x`."""
    values = (word.partition("=")[2] if word.startswith("-") else word for word in words)
    return [word for word in values if word and not word.startswith("-")]


def mentions_of(words: Sequence[str], use: FileUse) -> tuple[FileMention, ...]:
    """These words, all used in the same way."""
    return tuple(FileMention(word, use) for word in words)
