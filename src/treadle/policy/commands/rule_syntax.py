"""The types of command rules, and the parser of their short notation."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

# read: also roles that change nothing. run: those that work. destructive: only where asked for.
Mode = Literal["read", "run", "destructive"]
# gnu: `-abc`, `--name=value`. single: `-name value` as in find and go. open: any option, as long as
# no word of the command leads out of the project.
Style = Literal["gnu", "single", "open"]


def names(text: str) -> frozenset[str]:
    """A set of names, written as one string."""
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Rule:
    """What one command, or one of its sub-commands, may be given.

    `flags` lists what is known: `-abc` three switches, `-n=text` and `--name=text` with a value of
    that kind, `--name[text]` with a value only after `=`, `--name=text,read` with two, `-m=text!`
    with all that follows, `-#` a number. Whatever is not listed is refused, abbreviations too.
    `operands` lists kinds in order; one may end in `...` and stands for any number; an option of
    the kind `into` stands for those after it. The kinds are those of `judging/word_kinds.py`.
    """

    name: str
    flags: str = ""
    operands: str = ""
    mode: Mode = "read"
    # With sub-commands, the first operand names one; `bare` allows none.
    subs: tuple["Rule", ...] = ()
    bare: bool = False
    needs: int = 0
    # Without an operand it waits for input.
    stdin: bool = False
    style: Style = "gnu"
    # Options end at the first operand; what follows belongs to another command.
    stops: bool = False
    # What follows the name of a script is the script's, options too; each word must be near.
    hands_on: bool = False
    # Options that an open rule refuses all the same.
    never: str = ""
    # The number of operands before a second command, which is judged in its turn; -1: none is.
    wraps: int = -1
    # Families that the second command must belong to; empty: any.
    inner: tuple[str, ...] = ()
    # The name of a further check in `judging/command_checks.py`.
    check: str = ""
    # Words may be anything that the shell makes at run time: they are printed or compared.
    free: bool = False
    # What to do instead of a refused command.
    instead: str = ""
    allows: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Flag:
    """What follows an option: nothing, or values of these kinds."""

    kinds: tuple[str, ...] = ()
    optional: bool = False
    # No option follows it: the rest belongs to what it names.
    last: bool = False


NUMBER = "-#"


@cache
def flags_of(text: str, style: Style = "gnu") -> Mapping[str, Flag]:
    """The options that a rule's short form lists."""
    found: dict[str, Flag] = {}
    for token in text.split():
        name, flag = _flag(token)
        if flag.kinds or name.startswith("--") or style != "gnu" or name == NUMBER:
            found[name] = flag
        else:
            found |= {f"-{letter}": flag for letter in name[1:]}
    return found


def _flag(token: str) -> tuple[str, Flag]:
    if token.endswith("]"):
        name, _, kind = token[:-1].partition("[")
        return name, Flag((kind,), optional=True)
    name, _, kinds = token.removesuffix("!").partition("=")
    return name, Flag(tuple(kinds.split(",")) if kinds else (), last=token.endswith("!"))


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
