"""The shape of a line, whoever parsed it: what runs after, beside and inside what. Types only."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from treadle.policy.shell.syntax import Command, Loop, Word

Inside: TypeAlias = Literal["", "argument", "assignment", "heredoc"]


@dataclass(frozen=True, slots=True)
class Simple:
    """One command; the bodies of the substitutions in its words run first."""

    command: Command
    bodies: tuple["Apart", ...] = ()


@dataclass(frozen=True, slots=True)
class Joined:
    """Two parts, of which the second depends on how the first ended."""

    operator: Literal["&&", "||"]
    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class Piped:
    """Parts of a pipeline: each is a shell of its own."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other, whatever happens."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Apart:
    """A shell of its own: a subshell, a substitution, a job in the background."""

    body: "Node"
    inside: Inside = ""
    background: bool = False


@dataclass(frozen=True, slots=True)
class Branching:
    """`if`, `case`, `while`, `for`: what always runs first, and what may or may not follow."""

    first: "Node"
    branches: tuple["Node", ...]
    loop: Loop | None = None
    # What `case` looks at.
    subject: Word | None = None


@dataclass(frozen=True, slots=True)
class Negated:
    """`!` before it: what follows with `&&` runs if this failed."""

    body: "Node"


Node: TypeAlias = Simple | Joined | Piped | Sequence | Apart | Branching | Negated
