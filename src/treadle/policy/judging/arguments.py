"""A command's arguments as its rule reads them. Types only."""

from dataclasses import dataclass

from treadle.policy.commands.rule_syntax import Rule
from treadle.policy.shell.syntax import Word

# Stands for what `xargs` and `find -exec` put into a command: a name in the project.
ITEM = "found-item"


@dataclass(frozen=True, slots=True)
class ArgumentValue:
    """A word with the kind of its position; `flag` is its option, or empty for an operand."""

    kind: str
    word: Word
    flag: str = ""


@dataclass(frozen=True, slots=True)
class Arguments:
    """A command that was read. `rule` is that of the innermost sub-command."""

    rule: Rule
    # What to do instead, from the rule or from the command around it.
    instead: str
    # The name with its sub-commands.
    full_name: str
    switches: tuple[str, ...]
    values: tuple[ArgumentValue, ...]
    operands: tuple[Word, ...]
    # The second command of a wrapper.
    rest: tuple[Word, ...] = ()
    # Whether the line sends it input, and whether it sets variables.
    fed: bool = False
    assigns: bool = False

    def has(self, *flags: str) -> bool:
        return not set(flags).isdisjoint(self.switches)

    def value(self, *flags: str) -> Word | None:
        """The value of the last of these options, if there is one."""
        words = [value.word for value in self.values if value.flag in flags]
        return words[-1] if words else None


@dataclass(frozen=True, slots=True)
class ArgumentMismatch:
    """Why the words do not fit the rule."""

    reason: str
    instead: str
    full_name: str
