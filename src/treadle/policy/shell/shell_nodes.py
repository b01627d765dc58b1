"""The node tree of a parsed line, independent of the parser. Types only."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from treadle.policy.shell.syntax import Loop, ShellCommand, Word

OutputUse: TypeAlias = Literal["", "argument", "assignment", "heredoc"]


@dataclass(frozen=True, slots=True)
class SimpleNode:
    """One command; the bodies of the substitutions in its words run first."""

    command: ShellCommand
    bodies: tuple["SubshellNode", ...] = ()


@dataclass(frozen=True, slots=True)
class AndOrNode:
    """Two parts, of which the second depends on how the first ended."""

    operator: Literal["&&", "||"]
    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class PipelineNode:
    """Parts of a pipeline: each is a shell of its own."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class SequenceNode:
    """Parts that run one after the other, whether they succeed or not."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class SubshellNode:
    """A shell of its own: a subshell, a substitution, a job in the background."""

    body: "Node"
    inside: OutputUse = ""
    background: bool = False


@dataclass(frozen=True, slots=True)
class BranchNode:
    """`if`, `case`, `while`, `for`: what always runs first, and what may or may not follow."""

    first: "Node"
    branches: tuple["Node", ...]
    loop: Loop | None = None
    # The word that `case` matches.
    subject: Word | None = None


@dataclass(frozen=True, slots=True)
class NegatedNode:
    """`!` before it: what follows with `&&` runs if this failed."""

    body: "Node"


Node: TypeAlias = (
    SimpleNode | AndOrNode | PipelineNode | SequenceNode | SubshellNode | BranchNode | NegatedNode
)
