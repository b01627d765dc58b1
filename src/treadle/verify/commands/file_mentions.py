"""A command of a line, and how it uses the files that it names. Types."""

import posixpath
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
class ShellCall:
    """One command with its words, without quotes."""

    words: tuple[str, ...]
    # Where it runs, relative to the top of the project.
    folder: str = ""
    variables: tuple[tuple[str, str], ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    # Texts of the line that it gets as standard input.
    inputs: tuple[str, ...] = ()
    is_negated: bool = False
    # Numbers of the commands behind it in its pipeline.
    pipes_to: tuple[int, ...] = ()
    # The number of the command that has it in a substitution.
    inside: int | None = None
    # The `||` lists that it is part of, and its side there.
    sides: frozenset[tuple[int, str]] = frozenset()

    @property
    def program(self) -> str:
        return posixpath.basename(self.words[0]) if self.words else ""

    def is_followed_by(self, other: "ShellCall") -> bool:
        """Whether a later command runs although this one succeeded."""
        return not any((number, "right") in other.sides for number, side in self.sides)


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
