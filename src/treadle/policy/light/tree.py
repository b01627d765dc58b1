"""Reads shfmt's tree of a line into nodes without refusing any construct. Pure."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

import orjson

from treadle.policy.light.words import LenientWordReader, find_substitutions
from treadle.policy.shell.refusals import LineRefused
from treadle.policy.shell.shell_nodes import (
    AndOrNode,
    BranchNode,
    NegatedNode,
    Node,
    PipelineNode,
    SequenceNode,
    SimpleNode,
    SubshellNode,
)
from treadle.policy.shell.shfmt_nodes import Json
from treadle.policy.shell.syntax import (
    Assignment,
    Loop,
    Redirect,
    RedirectKind,
    ShellCommand,
    Word,
)

# The command that represents a loop without an end. No program can have this name unquoted.
ENDLESS_LOOP = "while"

_JOINS: dict[str, Literal["&&", "||"]] = {"&&": "&&", "||": "||"}
_REDIRECTS: Mapping[str, RedirectKind] = {
    "<": "read",
    "<>": "both",
    ">": "write",
    ">|": "write",
    "&>": "write",
    ">>": "append",
    "&>>": "append",
    "<<<": "herestring",
}
_STREAMS = frozenset("0123456789-")
_CLOSES = re.compile(r"-.")
_SUBSTITUTION = re.compile(r"\$\(|`")
_ALWAYS_TRUE = frozenset({"true", ":", "sleep"})
_LEAVING = frozenset({"break", "exit", "return", "exec"})


def read_tree(printed: bytes, source: bytes) -> Node:
    """The shape of the line; unknown constructs are searched for commands."""
    file: Any = orjson.loads(printed)
    return _TreeReader(source).statements(file.get("Stmts") or [])


class _TreeReader:
    def __init__(self, source: bytes) -> None:
        self._words = LenientWordReader(source)
        self._kinds: Mapping[str, Callable[[Json], Node]] = {
            "CallExpr": self._call,
            "DeclClause": self._declaration,
            "TestClause": self._test,
            "BinaryCmd": self._binary,
            "Subshell": self._subshell,
            "Block": self._block,
            "IfClause": self._if,
            "WhileClause": self._while,
            "ForClause": self._for,
            "CaseClause": self._case,
            "TimeClause": self._inner_statement,
            "CoprocClause": self._inner_statement,
            "FuncDecl": self._function,
        }

    def statements(self, found: Sequence[Json]) -> Node:
        parts = tuple(self._statement(each) for each in found)
        return parts[0] if len(parts) == 1 else SequenceNode(parts)

    def _statement(self, node: Json) -> Node:
        result = self._with_redirects(node)
        if node.get("Negated"):
            result = NegatedNode(result)
        background = node.get("Background") or node.get("Coprocess")
        return SubshellNode(result, background=True) if background else result

    def _with_redirects(self, node: Json) -> Node:
        found = node.get("Redirs") or ()
        redirects = tuple(map(self._redirect, found))
        # To bash the dash in `<&-word` closes a stream, and the rest is a word of the command.
        closing = tuple(
            each
            for each in redirects
            if each.kind == "duplicate" and _CLOSES.match(each.target.text)
        )
        bodies = tuple(self._bodies(found))
        command = node.get("Cmd")
        result = self._command(command) if command else _simple(())
        if isinstance(result, SimpleNode):
            given = result.command
            words = (*given.words, *(Word(each.target.text[1:]) for each in closing))
            command_with = ShellCommand(words, given.assignments, (*given.redirects, *redirects))
            return SimpleNode(command_with, (*result.bodies, *bodies))
        if not redirects:
            return result
        return SequenceNode((_simple((), redirects=redirects, bodies=bodies), result))

    def _command(self, node: Json) -> Node:
        kind = self._kinds.get(node["Type"])
        return kind(node) if kind else SequenceNode(tuple(self._bodies(node)))

    def _bodies(self, *nodes: object) -> Iterator[SubshellNode]:
        for statements in find_substitutions(list(nodes)):
            yield SubshellNode(self.statements(statements), "argument")

    def _call(self, node: Json) -> Node:
        words = tuple(map(self._words.read, node.get("Args") or ()))
        return self._with_assignments(node, words, node.get("Assigns") or ())

    def _declaration(self, node: Json) -> Node:
        """`export`, `declare`, `local` and the like."""
        given = node.get("Args") or ()
        words = [Word(node["Variant"]["Value"])]
        for each in given:
            if each.get("Naked") and each.get("Value"):
                words.append(self._words.read(each["Value"]))
            elif each.get("Naked"):
                words.append(Word(_name(each)))
        assigned = [each for each in given if not each.get("Naked")]
        return self._with_assignments(node, tuple(words), assigned)

    def _with_assignments(
        self, node: Json, words: tuple[Word, ...], assigned: Sequence[Json]
    ) -> Node:
        arrays = [each for each in assigned if each.get("Array")]
        simple = SimpleNode(
            ShellCommand(
                words,
                tuple(
                    Assignment(_name(each), self._words.read(each.get("Value")))
                    for each in assigned
                ),
            ),
            tuple(self._bodies(node)),
        )
        if not arrays:
            return simple
        return SequenceNode((*map(self._array, arrays), simple))

    def _array(self, node: Json) -> Node:
        """An array holds one of its values wherever it is used, as the variable of a loop does."""
        values = [self._words.read(each.get("Value")) for each in node["Array"].get("Elems") or ()]
        return BranchNode(SequenceNode(()), (), Loop(_name(node), tuple(values)))

    def _test(self, node: Json) -> Node:
        words = (Word("[["), *self._test_words(node["X"]), Word("]]"))
        return _simple(words, bodies=tuple(self._bodies(node)))

    def _test_words(self, node: Json) -> Iterator[Word]:
        match node.get("Type"):
            case "Word":
                yield self._words.read(node)
            case "UnaryTest" | "ParenTest" | "BinaryTest":
                for side in ("X", "Y"):
                    if node.get(side):
                        yield from self._test_words(node[side])
            case _:
                pass

    def _redirect(self, node: Json) -> Redirect:
        operator = node["Op"]
        descriptor = (node.get("N") or {}).get("Value", "")
        if operator in ("<<", "<<-"):
            literal = any(part["Type"] != "Lit" for part in node["Word"].get("Parts") or ())
            literal = literal or "\\" in self._words.raw(node["Word"])
            text = self._words.read_document(node.get("Hdoc") or {}, literal=literal)
            return Redirect("heredoc", text, descriptor)
        target = self._words.read(node.get("Word"))
        if operator in ("<&", ">&"):
            return self._duplicate(target, descriptor)
        return Redirect(_REDIRECTS.get(operator, "write"), target, descriptor)

    def _duplicate(self, target: Word, descriptor: str) -> Redirect:
        # Bash expands what is quoted here, which no parser shows.
        if target.quoted and _SUBSTITUTION.search(target.text):
            raise LineRefused("redirect")
        is_stream = _STREAMS.issuperset(target.text) or _CLOSES.match(target.text)
        return Redirect("duplicate" if is_stream else "write", target, descriptor)

    def _subshell(self, node: Json) -> Node:
        return SubshellNode(self._block(node))

    def _block(self, node: Json) -> Node:
        return self.statements(node.get("Stmts") or [])

    def _inner_statement(self, node: Json) -> Node:
        statement = node.get("Stmt")
        return self._statement(statement) if statement else SequenceNode(())

    def _function(self, node: Json) -> Node:
        """Its body, as if the function were called; it may be called after `&`."""
        return self._statement(node["Body"])

    def _binary(self, node: Json) -> Node:
        left, right = self._statement(node["X"]), self._statement(node["Y"])
        if node["Op"] in _JOINS:
            return AndOrNode(_JOINS[node["Op"]], left, right)
        parts = (*left.parts, right) if isinstance(left, PipelineNode) else (left, right)
        return PipelineNode(parts)

    def _if(self, node: Json) -> Node:
        branches = [self.statements(node.get("Then") or [])]
        if node.get("Else"):
            branches.append(self._if(node["Else"]))
        return BranchNode(self.statements(node.get("Cond") or []), tuple(branches))

    def _while(self, node: Json) -> Node:
        condition, body = self.statements(node["Cond"]), self.statements(node["Do"])
        loop = BranchNode(condition, (body,))
        endless = _is_constant(condition, until=bool(node.get("Until"))) and not _leaves(body)
        return SequenceNode((_ENDLESS, loop)) if endless else loop

    def _for(self, node: Json) -> Node:
        loop, body = node["Loop"], self.statements(node.get("Do") or [])
        bodies = SequenceNode(tuple(self._bodies(loop)))
        if loop["Type"] != "WordIter":
            counting = BranchNode(bodies, (body,))
            endless = not loop.get("Cond") and not _leaves(body)
            return SequenceNode((_ENDLESS, counting)) if endless else counting
        values = tuple(map(self._words.read, loop.get("Items") or ()))
        return BranchNode(bodies, (body,), Loop(_name(loop), values))

    def _case(self, node: Json) -> Node:
        items = node.get("Items") or ()
        branches = tuple(self.statements(item.get("Stmts") or []) for item in items)
        bodies = self._bodies(node.get("Word"), [item.get("Patterns") for item in items])
        return BranchNode(SequenceNode(tuple(bodies)), branches)


def _name(node: Json) -> str:
    return str((node.get("Name") or {}).get("Value", ""))


def _simple(
    words: tuple[Word, ...],
    *,
    redirects: tuple[Redirect, ...] = (),
    bodies: tuple[SubshellNode, ...] = (),
) -> SimpleNode:
    return SimpleNode(ShellCommand(words, redirects=redirects), bodies)


_ENDLESS = _simple((Word(ENDLESS_LOOP),))


def _is_constant(condition: Node, *, until: bool) -> bool:
    """Whether a condition never ends its loop."""
    negated = until
    while isinstance(condition, NegatedNode | SubshellNode):
        negated ^= isinstance(condition, NegatedNode)
        condition = condition.body
    if isinstance(condition, SequenceNode) and condition.parts:
        return not negated and _is_constant(condition.parts[-1], until=False)
    if not isinstance(condition, SimpleNode) or not condition.command.words:
        return False
    texts = [word.text for word in condition.command.words]
    if negated:
        return texts[0] == "false"
    return texts[0] in _ALWAYS_TRUE or texts in (["[", "1", "]"], ["[[", "1", "]]"])


def _leaves(node: Node) -> bool:
    """Whether a loop's body can end the loop."""
    match node:
        case SimpleNode():
            return bool(node.command.words) and node.command.words[0].text in _LEAVING
        case PipelineNode() | SequenceNode():
            return any(map(_leaves, node.parts))
        case AndOrNode():
            return _leaves(node.left) or _leaves(node.right)
        case SubshellNode() | NegatedNode():
            return _leaves(node.body)
        case BranchNode():
            return any(map(_leaves, (node.first, *node.branches)))
