"""What is decided about a tool of the project. Types only."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from treadle.policy.shell.syntax import Word

# other: as if it stood alone. installed: what has no rule is a tool of the project. fetched: that
# only if it is there. file: a file that an interpreter runs; script: that of a shell.
Origin = Literal["other", "installed", "fetched", "file", "script"]


@dataclass(frozen=True, slots=True)
class ToolPermission:
    """It may run."""


@dataclass(frozen=True, slots=True)
class ToolRefusal:
    """Why it may not."""

    reason: str


@dataclass(frozen=True, slots=True)
class InnerProgram:
    """It runs another program, which is judged in its turn."""

    words: tuple[Word, ...]
    origin: Origin


ToolVerdict: TypeAlias = ToolPermission | ToolRefusal | InnerProgram
