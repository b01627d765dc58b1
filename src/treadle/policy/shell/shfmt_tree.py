"""Reads shfmt's JSON tree of a line into nodes and an outline. Pure.

Every kind of node and every key that is not named here refuses the line.
"""

from collections.abc import Sequence as Several
from typing import Any, Literal

import orjson

from treadle.policy.shell.builtin_checks import check_value
from treadle.policy.shell.line_outline import LineOutline
from treadle.policy.shell.refusals import LineRefused
from treadle.policy.shell.shell_nodes import (
    AndOrNode,
    BranchNode,
    NegatedNode,
    Node,
    PipelineNode,
    SequenceNode,
    SubshellNode,
)
from treadle.policy.shell.shfmt_commands import CommandBuilder, CommandReader
from treadle.policy.shell.shfmt_nodes import Json, require_known_keys, span
from treadle.policy.shell.shfmt_words import WordReader
from treadle.policy.shell.syntax import Loop, Word

_JOINS: dict[str, Literal["&&", "||"]] = {"&&": "&&", "||": "||"}
_REFUSED = {
    "FuncDecl": "function",
    "CoprocClause": "coproc",
    "LetClause": "arithmetic",
    "ArithmCmd": "arithmetic",
}
# Keys that only say where something stands.
_WHERE = (
    *("Comments", "Last", "Position", "Semicolon", "OpPos", "Lparen", "Rparen", "Lbrace", "Rbrace"),
    *("ThenPos", "FiPos", "WhilePos", "DoPos", "DonePos", "ForPos", "InPos", "Case", "In", "Esac"),
    *("CondLast", "ThenLast", "DoLast"),
)


def read_shfmt_tree(printed: bytes, source: bytes, outline: LineOutline) -> Node:
    """The shape of the line; raises `Refused` for what is not allowed in it."""
    file: Any = orjson.loads(printed)
    require_known_keys(file, *_WHERE, "Stmts")
    return _TreeReader(source, outline).statements(file.get("Stmts") or [])


class _TreeReader:
    """Walks the tree of one line. Its depth is bounded: tree-sitter's outline comes first."""

    def __init__(self, source: bytes, outline: LineOutline) -> None:
        self._outline = outline
        self._words = WordReader(source, self.statements)
        self._simple = CommandReader(self._words, outline)
        self._simple_kinds = {
            "CallExpr": self._simple.call,
            "DeclClause": self._simple.declaration,
            "TestClause": self._simple.test,
        }
        self._compound_kinds = {
            "BinaryCmd": self._binary,
            "Subshell": self._subshell,
            "Block": self._block,
            "IfClause": self._if,
            "WhileClause": self._while,
            "ForClause": self._for,
            "CaseClause": self._case,
            "TimeClause": self._time,
        }

    def statements(self, found: Several[Json]) -> Node:
        parts = tuple(self._statement(each) for each in found)
        return parts[0] if len(parts) == 1 else SequenceNode(parts)

    def _statement(self, node: Json) -> Node:
        require_known_keys(node, *_WHERE, "Cmd", "Redirs", "Negated", "Background")
        result = self._with_redirects(node)
        if node.get("Negated"):
            result = NegatedNode(result)
        return SubshellNode(result, background=True) if node.get("Background") else result

    def _with_redirects(self, node: Json) -> Node:
        gathering = CommandBuilder()
        command = node.get("Cmd") or {"Type": "CallExpr"}
        compound = self._compound(command, gathering)
        for redirect in node.get("Redirs") or ():
            self._simple.redirect(redirect, gathering)
        if compound is None:
            return gathering.build()
        if not gathering.redirects:
            return compound
        return SequenceNode((gathering.build(), compound))

    def _compound(self, node: Json, gathering: CommandBuilder) -> Node | None:
        """The shape of a compound command; None for a simple one, which is then gathered."""
        kind = node["Type"]
        if simple := self._simple_kinds.get(kind):
            simple(node, gathering)
            return None
        if compound := self._compound_kinds.get(kind):
            return compound(node)
        raise LineRefused(_REFUSED.get(kind, "construct"))

    def _subshell(self, node: Json) -> Node:
        return SubshellNode(self._block(node))

    def _block(self, node: Json) -> Node:
        require_known_keys(node, *_WHERE, "Stmts")
        return self.statements(node["Stmts"])

    def _time(self, node: Json) -> Node:
        """The keyword only measures: what follows runs as it would without it."""
        require_known_keys(node, *_WHERE, "Time", "PosixFormat", "Stmt")
        if not node.get("Stmt"):
            raise LineRefused("time")
        return self._statement(node["Stmt"])

    def _while(self, node: Json) -> Node:
        require_known_keys(node, *_WHERE, "Until", "Cond", "Do")
        return BranchNode(self.statements(node["Cond"]), (self.statements(node["Do"]),))

    def _binary(self, node: Json) -> Node:
        require_known_keys(node, *_WHERE, "Op", "X", "Y")
        left, right = self._statement(node["X"]), self._statement(node["Y"])
        if node["Op"] in _JOINS:
            return AndOrNode(_JOINS[node["Op"]], left, right)
        if node["Op"] not in {"|", "|&"}:
            raise LineRefused("construct")
        # Behind a pipe it is no keyword to bash, but a program of that name.
        if (node["Y"].get("Cmd") or {}).get("Type") == "TimeClause":
            raise LineRefused("time")
        return PipelineNode(
            (*left.parts, right) if isinstance(left, PipelineNode) else (left, right)
        )

    def _if(self, node: Json) -> Node:
        require_known_keys(node, *_WHERE, "Cond", "Then", "Else")
        branches = [self.statements(node["Then"])]
        if not node.get("Cond"):
            return branches[0]
        first = self.statements(node["Cond"])
        if node.get("Else"):
            branches.append(self._if(node["Else"]))
        return BranchNode(first, tuple(branches))

    def _for(self, node: Json) -> Node:
        if node.get("Select"):
            raise LineRefused("select")
        require_known_keys(node, *_WHERE, "Loop", "Do")
        loop = node["Loop"]
        if loop["Type"] != "WordIter":
            raise LineRefused("counting-loop")
        require_known_keys(loop, *_WHERE, "Name", "Items")
        self._outline.add("loop", *span(loop["Name"]))
        values, bodies = [], []
        for item in loop.get("Items") or ():
            self._outline.add("value", *span(item))
            word, found = self._words.read(item, "argument")
            if word.plain:
                check_value(word)
            values.append(word)
            bodies.extend(found)
        if "in" not in self._between(loop, node["DoPos"]["Offset"]):
            values = [Word('"$@"', variables=("@",), expands=True)]
        return BranchNode(
            SequenceNode(tuple(bodies)),
            (self.statements(node["Do"]),),
            Loop(loop["Name"]["Value"], tuple(values)),
        )

    def _between(self, loop: Json, end: int) -> list[str]:
        """The words of the source between the name of a loop and its `do`."""
        return self._words.source[span(loop["Name"])[1] : end].decode().split()

    def _case(self, node: Json) -> Node:
        require_known_keys(node, *_WHERE, "Word", "Items")
        subject, bodies = self._words.read_whole(node["Word"], "argument")
        branches = []
        for item in node.get("Items") or ():
            require_known_keys(item, *_WHERE, "Op", "Patterns", "Stmts")
            if item["Op"] != ";;":
                raise LineRefused("case-falls-through")
            for pattern in item["Patterns"]:
                self._words.static(pattern, "case-pattern")
            branches.append(self.statements(item.get("Stmts") or []))
        return BranchNode(SequenceNode(tuple(bodies)), tuple(branches), subject=subject)
