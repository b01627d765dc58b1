"""A parsed shell line: every command that bash would run, in order. Types only."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Word:
    """One word without quotes.

    `text` is the value if the word is plain. Otherwise it is only for display, because bash
    determines the value when it runs.
    """

    text: str
    # Globs, braces, a tilde, a variable or a substitution outside quotes: bash may put several
    # words, none, or a home in its place.
    expands: bool = False
    # Variables the word stands on. `substitutes`: the output of a command is part of it, or a
    # variable is not used as it is (`${x:-a}`, `${x%.ts}`), so knowing its value is not enough.
    variables: tuple[str, ...] = ()
    substitutes: bool = False
    # Any part was quoted: an empty word is then an argument, and a name no alias or keyword.
    quoted: bool = False
    # It is the name of a pipe from which the output of `<( )` is read.
    stream: bool = False

    @property
    def plain(self) -> bool:
        return not (self.expands or self.variables or self.substitutes)


@dataclass(frozen=True, slots=True)
class Assignment:
    """`NAME=value` before a command, alone, or after `export` (then `export` is the only name)."""

    name: str
    value: Word


RedirectKind = Literal["read", "write", "append", "both", "duplicate", "heredoc", "herestring"]


@dataclass(frozen=True, slots=True)
class Redirect:
    """A file that a command's stream is tied to; the target of a here-document is its text."""

    kind: RedirectKind
    target: Word
    descriptor: str = ""


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """One simple command. Its name is the first word; none if it only assigns or redirects.

    `scope` names the shell it runs in: () for the line's own, one number more for each subshell,
    pipeline part, background job or substitution around it. A `cd` or an assignment affects only
    what follows in its scope and in the scopes inside it.
    """

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    scope: tuple[int, ...] = ()
    # Whether all that follows it in its scope is reached only after it was: not in a branch of
    # `if`, after `||`, in a loop, nor after `&&` if the list goes on behind a `;`.
    certain: bool = True
    # Where the output goes, when a substitution around it uses it.
    inside: Literal["", "argument", "assignment", "heredoc"] = ""
    background: bool = False
    # Variables of the `for` loops around it: in there they have a value.
    loops: tuple[str, ...] = ()
    # Whether a redirection of the `while`, `if` or braces around it gives it input.
    fed: bool = False
    # The commands before it in its pipeline, if all of them are simple ones.
    piped: tuple["ShellCommand", ...] = field(default=(), compare=False)
    # Whether what follows in its scope runs only if it succeeded: `&&` and not `;`.
    needed: bool = field(default=True, compare=False)

    @property
    def name(self) -> Word | None:
        return self.words[0] if self.words else None

    @property
    def arguments(self) -> tuple[Word, ...]:
        return self.words[1:]


@dataclass(frozen=True, slots=True)
class Loop:
    """`for NAME in words`: the values of the variable that the loop assigns."""

    variable: str
    values: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class WordsOutsideCommands:
    """Words outside of commands: the values of a `for` loop, or the word of a `case`.

    `after` is the number of commands before it; `variable` is the loop's variable, if it is a loop.
    """

    words: tuple[Word, ...]
    after: int
    scope: tuple[int, ...] = ()
    loops: tuple[str, ...] = ()
    variable: str = ""


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """A line that both parsers parsed in the same way."""

    commands: tuple[ShellCommand, ...]
    loops: tuple[Loop, ...] = ()
    mentions: tuple[WordsOutsideCommands, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class UnreadableLine:
    """Why a line is refused before it is checked; `rule` is the reason's identifier."""

    reason: str
    rule: str


ParseResult: TypeAlias = ParsedLine | UnreadableLine
