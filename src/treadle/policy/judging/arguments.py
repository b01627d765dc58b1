"""A command's arguments as its rule parses them. Types only."""

from dataclasses import dataclass

from treadle.policy.commands.rule_syntax import Rule
from treadle.policy.shell.syntax import Word


@dataclass(frozen=True, slots=True)
class ArgumentValue:
    """A word that its place gives a kind; `flag` is the option it belongs to, or empty."""

    kind: str
    word: Word
    flag: str = ""


@dataclass(frozen=True, slots=True)
class Arguments:
    """A command as its rule reads it. `rule` is that of the innermost sub-command."""

    rule: Rule
    # What to do in its place: that of the rule, or else of the command around it.
    instead: str
    # Name and sub-commands, as people write them.
    spoken: str
    switches: tuple[str, ...]
    values: tuple[ArgumentValue, ...]
    operands: tuple[Word, ...]
    # The second command of a wrapper, or what belongs to a script.
    rest: tuple[Word, ...] = ()
    # Whether the line sends it input, and whether it sets variables.
    fed: bool = False
    assigns: bool = False

    @property
    def names_operand(self) -> bool:
        """Whether an operand names something: a dash alone is the input."""
        return any(word.text not in ("-", "/dev/stdin") for word in self.operands)

    def with_line_context(self, *, fed: bool, assigns: bool) -> "Arguments":
        """The same, with what the line around it does for it."""
        return Arguments(
            self.rule,
            self.instead,
            self.spoken,
            self.switches,
            self.values,
            self.operands,
            self.rest,
            fed,
            assigns,
        )

    def value(self, *flags: str) -> Word | None:
        """What the last of these options was given, if it was."""
        found = [value.word for value in self.values if value.flag in flags]
        return found[-1] if found else None


@dataclass(frozen=True, slots=True)
class ArgumentMismatch:
    """Why the words do not fit the rule."""

    reason: str
    instead: str
    spoken: str
