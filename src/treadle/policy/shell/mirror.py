"""The line as shfmt reads it: its shape and its outline, from typed JSON. Pure.

Every kind of node and every key that is not named here refuses the line.
"""

from collections.abc import Sequence as Several
from typing import Any, Literal

import orjson

from treadle.policy.shell.conditions import check_value
from treadle.policy.shell.mirror_simple import Gathering, SimpleCommands
from treadle.policy.shell.mirror_words import Words
from treadle.policy.shell.node_shapes import Json, only, span
from treadle.policy.shell.nodes import (
    Apart,
    Branching,
    Joined,
    Negated,
    Node,
    Piped,
    Sequence,
)
from treadle.policy.shell.outline import Outline
from treadle.policy.shell.refusals import Refused
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


def mirror(printed: bytes, source: bytes, outline: Outline) -> Node:
    """The shape of the line; raises `Refused` for what is not allowed in it."""
    file: Any = orjson.loads(printed)
    only(file, *_WHERE, "Stmts")
    return _Mirror(source, outline).statements(file.get("Stmts") or [])


class _Mirror:
    """Walks the tree of one line. Its depth is bounded: tree-sitter's outline comes first."""

    def __init__(self, source: bytes, outline: Outline) -> None:
        self._outline = outline
        self._words = Words(source, self.statements)
        self._simple = SimpleCommands(self._words, outline)
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
        return parts[0] if len(parts) == 1 else Sequence(parts)

    def _statement(self, node: Json) -> Node:
        only(node, *_WHERE, "Cmd", "Redirs", "Negated", "Background")
        result = self._with_redirects(node)
        if node.get("Negated"):
            result = Negated(result)
        return Apart(result, background=True) if node.get("Background") else result

    def _with_redirects(self, node: Json) -> Node:
        gathering = Gathering()
        command = node.get("Cmd") or {"Type": "CallExpr"}
        compound = self._compound(command, gathering)
        for redirect in node.get("Redirs") or ():
            self._simple.redirect(redirect, gathering)
        if compound is None:
            return gathering.done()
        if not gathering.redirects:
            return compound
        return Sequence((gathering.done(), compound))

    def _compound(self, node: Json, gathering: Gathering) -> Node | None:
        """The shape of a compound command; None for a simple one, which is then gathered."""
        kind = node["Type"]
        if simple := self._simple_kinds.get(kind):
            simple(node, gathering)
            return None
        if compound := self._compound_kinds.get(kind):
            return compound(node)
        raise Refused(_REFUSED.get(kind, "construct"))

    def _subshell(self, node: Json) -> Node:
        return Apart(self._block(node))

    def _block(self, node: Json) -> Node:
        only(node, *_WHERE, "Stmts")
        return self.statements(node["Stmts"])

    def _time(self, node: Json) -> Node:
        """The keyword only measures: what follows runs as it would without it."""
        only(node, *_WHERE, "Time", "PosixFormat", "Stmt")
        if not node.get("Stmt"):
            raise Refused("time")
        return self._statement(node["Stmt"])

    def _while(self, node: Json) -> Node:
        only(node, *_WHERE, "Until", "Cond", "Do")
        return Branching(self.statements(node["Cond"]), (self.statements(node["Do"]),))

    def _binary(self, node: Json) -> Node:
        only(node, *_WHERE, "Op", "X", "Y")
        left, right = self._statement(node["X"]), self._statement(node["Y"])
        if node["Op"] in _JOINS:
            return Joined(_JOINS[node["Op"]], left, right)
        if node["Op"] not in {"|", "|&"}:
            raise Refused("construct")
        # Behind a pipe it is no keyword to bash, but a program of that name.
        if (node["Y"].get("Cmd") or {}).get("Type") == "TimeClause":
            raise Refused("time")
        return Piped((*left.parts, right) if isinstance(left, Piped) else (left, right))

    def _if(self, node: Json) -> Node:
        only(node, *_WHERE, "Cond", "Then", "Else")
        branches = [self.statements(node["Then"])]
        if not node.get("Cond"):
            return branches[0]
        first = self.statements(node["Cond"])
        if node.get("Else"):
            branches.append(self._if(node["Else"]))
        return Branching(first, tuple(branches))

    def _for(self, node: Json) -> Node:
        if node.get("Select"):
            raise Refused("select")
        only(node, *_WHERE, "Loop", "Do")
        loop = node["Loop"]
        if loop["Type"] != "WordIter":
            raise Refused("counting-loop")
        only(loop, *_WHERE, "Name", "Items")
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
        return Branching(
            Sequence(tuple(bodies)),
            (self.statements(node["Do"]),),
            Loop(loop["Name"]["Value"], tuple(values)),
        )

    def _between(self, loop: Json, end: int) -> list[str]:
        """The words of the source between the name of a loop and its `do`."""
        return self._words.source[span(loop["Name"])[1] : end].decode().split()

    def _case(self, node: Json) -> Node:
        only(node, *_WHERE, "Word", "Items")
        subject, bodies = self._words.read_whole(node["Word"], "argument")
        branches = []
        for item in node.get("Items") or ():
            only(item, *_WHERE, "Op", "Patterns", "Stmts")
            if item["Op"] != ";;":
                raise Refused("case-falls-through")
            for pattern in item["Patterns"]:
                self._words.static(pattern, "case-pattern")
            branches.append(self.statements(item.get("Stmts") or []))
        return Branching(Sequence(tuple(bodies)), tuple(branches), subject=subject)
