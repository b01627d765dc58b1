"""The byte positions of commands, words and targets on which both parsers must agree."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

# What it is ("name", "word", "assignment", "test", "loop", or the operator of a redirection), and
# from which byte of the line to which.
Mark: TypeAlias = tuple[str, int, int]


@dataclass(slots=True)
class LineOutline:
    """Grows while a tree is walked. Two equal ones mean: the same commands with the same words."""

    marks: set[Mark] = field(default_factory=set)
    # Commands seen so far.
    commands: int = 0
    # How many nodes the tree has that it was taken from.
    nodes: int = 0

    def add_command(self, spans: Iterable[tuple[int, int]]) -> None:
        """The words of a command, its name first."""
        role = "name"
        self.commands += 1
        for start, end in spans:
            self.marks.add((role, start, end))
            role = "word"

    def add(self, role: str, start: int, end: int) -> None:
        self.marks.add((role, start, end))
