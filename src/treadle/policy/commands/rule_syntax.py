"""The types of command rules, and the parser of the short notation of options."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

# read: also roles that change nothing. run: those that work. destructive: only where asked for.
Mode = Literal["read", "run", "destructive"]
AS_SET = "Use what the project's own settings say."
# gnu: `-abc`, `--name=value`. single: `-name value` as in find.
Style = Literal["gnu", "single"]


@cache
def names(text: str) -> frozenset[str]:
    """A set of names, written as one string."""
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Rule:
    """A command that is not the project's code: git, and what looks at and changes files and text.

    `options` lists those with a value that is no path to read: `-n=text` and `--name=text` with a
    value of that kind, `--name[text]` with a value only after `=`, `--name=text,read` with two.
    Any other option is a switch. `operands` lists kinds in order; one may end in `...` and stands
    for any number; an option of the kind `into` stands for those after it. The kinds are those of
    `judging/word_kinds.py`.
    """

    names: str
    options: str = ""
    operands: str = ""
    mode: Mode = "read"
    # Options that are refused, with every abbreviation of them.
    never: str = ""
    # A pattern that no operand may hold.
    never_text: str = ""
    # Options that throw work away: only where that is asked for.
    destroys: str = ""
    # One of these options must be there.
    one_of: str = ""
    # With sub-commands, the first operand names one; `bare` allows none.
    subs: tuple["Rule", ...] = ()
    bare: bool = False
    needs: int = 0
    # Without an operand it waits for input.
    stdin: bool = False
    style: Style = "gnu"
    # The number of operands before a second command, which is judged in its turn; -1: none is.
    wraps: int = -1
    # The name of a further check in `judging/command_checks.py`.
    check: str = ""
    # Words may be anything that the shell makes at run time: they are printed or compared.
    free: bool = False
    because: str = ""
    # What to do instead of a refused command.
    instead: str = ""
    allows: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolRow:
    """Programs that run a project's code and settings: any option, no word out of the project."""

    names: str
    because: str
    # Options and sub-commands that are refused all the same.
    never: str = ""
    # A pattern that no word may hold.
    never_text: str = ""
    mode: Mode = "read"
    instead: str = AS_SET
    allows: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InterpreterRow:
    """Programs that run a file, judged as a program of the project, or code on the line."""

    names: str
    because: str
    # Options that code, or the name of a module, follows.
    code: str = ""
    module: str = ""
    # Options whose value is the next word; those with which no program is needed.
    takes: str = ""
    alone: str = "--version --help"
    never: str = ""
    # The file must be there when the line is judged, so that its text can be looked at.
    present: bool = False
    instead: str = AS_SET
    allows: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PackageRow:
    """Programs that fetch packages: where those come from is what matters.

    Words of sub-commands in `installs` name packages of the kind `source`; those in `runs` run
    another program, which is judged in its turn; `*` in it means that the command itself does.
    """

    names: str
    because: str
    source: str = "name"
    installs: str = ""
    changes: str = ""
    reads: str = ""
    runs: str = ""
    # Whether any other sub-command is a script or a tool of the project.
    scripts: bool = False
    bare: bool = False
    # Whether what it runs may be fetched first, so that it must be known or installed.
    fetches: bool = False
    takes: str = ""
    never: str = ""
    instead: str = AS_SET
    allows: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()


Row: TypeAlias = Rule | ToolRow | InterpreterRow | PackageRow


@dataclass(frozen=True, slots=True)
class Option:
    """The kinds of the values that follow an option; `attached`: only in the same word."""

    kinds: tuple[str, ...]
    attached: bool = False


@cache
def options_of(text: str) -> Mapping[str, Option]:
    """The options with a value that a rule's short form lists."""
    found: dict[str, Option] = {}
    for token in text.split():
        attached = token.endswith("]")
        name, _, kinds = token.rstrip("]").partition("[" if attached else "=")
        found[name] = Option(tuple(kinds.split(",")), attached)
    return found


@dataclass(frozen=True, slots=True)
class Operands:
    """Kinds by position: some first, then any number of one, then some last."""

    first: tuple[str, ...]
    any: str
    last: tuple[str, ...]

    def kinds(self, count: int) -> tuple[str, ...] | None:
        """The kind of each of so many operands; None if they are too many."""
        fixed = len(self.first) + len(self.last)
        if not self.any:
            return self.first[:count] if count <= len(self.first) else None
        if count < fixed:
            return (*self.first, *self.last)[-count:] if self.last and count else self.first[:count]
        return (*self.first, *(self.any for _ in range(count - fixed)), *self.last)


@cache
def operands_of(text: str) -> Operands:
    kinds = text.split()
    repeated = [index for index, kind in enumerate(kinds) if kind.endswith("...")]
    if not repeated:
        return Operands(tuple(kinds), "", ())
    at = repeated[0]
    return Operands(tuple(kinds[:at]), kinds[at][:-3], tuple(kinds[at + 1 :]))
