"""Simple commands, tests and redirections as shfmt's tree shows them. Pure."""

import re
from dataclasses import dataclass, field

from treadle.policy.shell.conditions import check_call, check_operator, check_value
from treadle.policy.shell.mirror_words import Words
from treadle.policy.shell.node_shapes import Json, only, span
from treadle.policy.shell.nodes import Apart, Inside, Simple
from treadle.policy.shell.outline import Outline
from treadle.policy.shell.refusals import Refused
from treadle.policy.shell.syntax import Assignment, Command, Redirect, RedirectKind, Word

_KINDS: dict[str, RedirectKind] = {
    "<": "read",
    ">": "write",
    ">|": "write",
    "&>": "write",
    ">>": "append",
    "&>>": "append",
    "<>": "both",
}
_HERE_MARK = re.compile(r"""\\?(\w+)|'(\w+)'|"(\w+)\"""", re.ASCII)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_STREAM = re.compile(r"[0-9]{1,2}|-")
_FILE = re.compile(r"[\w./][\w./-]*(?<!-)", re.ASCII)
_DESCRIPTOR = re.compile(r"[0-9]{0,2}")


@dataclass(slots=True)
class Gathering:
    """A command while its parts are read."""

    words: list[Word] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    bodies: list[Apart] = field(default_factory=list)

    def done(self) -> Simple:
        words = tuple(self.words)
        return Simple(
            Command(words, tuple(self.assignments), tuple(self.redirects)), tuple(self.bodies)
        )


@dataclass(frozen=True, slots=True)
class SimpleCommands:
    """Reads them one by one; what they are made of goes into the outline."""

    words: Words
    outline: Outline

    def call(self, node: Json, gathering: Gathering) -> None:
        """Words with assignments before them."""
        only(node, "Args", "Assigns")
        for found in node.get("Assigns") or ():
            self._assignment(found, gathering)
        arguments = node.get("Args") or []
        for found in arguments:
            gathering.words.append(self._word(found, "argument", gathering))
        if not arguments:
            return
        name = gathering.words[0]
        if not name.plain:
            raise Refused("dynamic-name")
        if name.text == "[" and not name.quoted:
            self.outline.add("test", span(arguments[0])[0], span(arguments[-1])[1])
        else:
            self.outline.add_command(span(found) for found in arguments)
        check_call(tuple(gathering.words))

    def declaration(self, node: Json, gathering: Gathering) -> None:
        """`export`, and nothing else of its kind."""
        only(node, "Variant", "Args")
        variant = node["Variant"]
        if variant["Value"] != "export":
            raise Refused("declaration")
        gathering.words.append(Word("export"))
        spans = [span(variant)]
        for found in node.get("Args") or ():
            if not found.get("Naked"):
                self._assignment(found, gathering)
                continue
            self._exported(found, gathering)
            spans.append(span(found))
        self.outline.add_command(spans)
        check_call(tuple(gathering.words))

    def _exported(self, node: Json, gathering: Gathering) -> None:
        """A word behind `export`, which in quotes may be an assignment as well."""
        only(node, "Naked", "Name", "Value")
        value = node.get("Value")
        word = self.words.static(value, "declaration") if value else Word(node["Name"]["Value"])
        if not word.plain:
            raise Refused("declaration")
        name, sign, text = word.text.partition("=")
        if sign:
            gathering.assignments.append(Assignment(name, Word(text, quoted=True)))
        else:
            gathering.words.append(word)

    def test(self, node: Json, gathering: Gathering) -> None:
        """`[[ … ]]`, its words in the order of the text."""
        only(node, "X")
        self.outline.add("test", *span(node))
        gathering.words.append(Word("[["))
        self._test_part(node["X"], gathering)
        gathering.words.append(Word("]]"))
        check_call(tuple(gathering.words))

    def _test_part(self, node: Json, gathering: Gathering) -> None:
        match node["Type"]:
            case "Word":
                word, bodies = self.words.read_whole(node, "argument")
                gathering.words.append(word)
                gathering.bodies.extend(bodies)
            case "UnaryTest":
                only(node, "OpPos", "Op", "X")
                gathering.words.append(Word(node["Op"]))
                start = len(gathering.words)
                self._test_part(node["X"], gathering)
                check_operator(node["Op"], gathering.words[start:])
            case "BinaryTest":
                only(node, "OpPos", "Op", "X", "Y")
                start = len(gathering.words)
                self._test_part(node["X"], gathering)
                middle = len(gathering.words)
                gathering.words.append(Word(node["Op"]))
                self._test_part(node["Y"], gathering)
                operands = gathering.words[start:middle] + gathering.words[middle + 1 :]
                check_operator(node["Op"], operands)
            case "ParenTest":
                only(node, "Lparen", "Rparen", "X")
                self._test_part(node["X"], gathering)
            case _:
                raise Refused("construct")

    def redirect(self, node: Json, gathering: Gathering) -> None:
        only(node, "OpPos", "Op", "N", "Word", "Hdoc")
        operator = node["Op"]
        descriptor = (node.get("N") or {}).get("Value", "")
        if not _DESCRIPTOR.fullmatch(descriptor):
            raise Refused("redirect")
        kind: RedirectKind
        if operator in {"<<", "<<-"}:
            kind, target = "heredoc", self._here_document(node, gathering)
        elif operator == "<<<":
            kind, target = "herestring", self._target(node, gathering, "heredoc")
        else:
            target = self._target(node, gathering, "argument")
            kind = _kind(operator, self.words.raw(node["Word"]))
        gathering.redirects.append(Redirect(kind, target, descriptor))

    def _target(self, node: Json, gathering: Gathering, inside: Inside) -> Word:
        self.outline.add(node["Op"], *span(node["Word"]))
        return self._word(node["Word"], inside, gathering)

    def _here_document(self, node: Json, gathering: Gathering) -> Word:
        raw = self.words.raw(node["Word"])
        found = _HERE_MARK.fullmatch(raw)
        if found is None:
            raise Refused("heredoc-mark")
        document = node.get("Hdoc")
        if not document:
            raise Refused("heredoc-empty")
        mark = found[found.lastindex or 0]
        end = span(document)[1]
        self.outline.add("<<", end - len(mark), end)
        word, bodies = self.words.here_document(
            document, end - len(mark), literal=raw != mark, indented=node["Op"] == "<<-"
        )
        gathering.bodies.extend(bodies)
        return word

    def _assignment(self, node: Json, gathering: Gathering) -> None:
        if node.get("Index") is not None or node.get("Array") is not None:
            raise Refused("array")
        if node.get("Append"):
            raise Refused("append-assignment")
        only(node, "Name", "Value")
        if not _NAME.fullmatch(node["Name"]["Value"]):
            raise Refused("dynamic-name")
        value = Word("")
        if node.get("Value"):
            value, bodies = self.words.read_whole(node["Value"], "assignment")
            gathering.bodies.extend(bodies)
        if value.plain:
            check_value(value)
        gathering.assignments.append(Assignment(node["Name"]["Value"], value))
        self.outline.add("assignment", *span(node))

    def _word(self, node: Json, inside: Inside, gathering: Gathering) -> Word:
        word, bodies = self.words.read(node, inside)
        gathering.bodies.extend(bodies)
        return word


def _kind(operator: str, raw: str) -> RedirectKind:
    if operator not in {">&", "<&"}:
        if operator not in _KINDS:
            raise Refused("redirect")
        return _KINDS[operator]
    if _STREAM.fullmatch(raw):
        return "duplicate"
    # Bash takes a dash behind `>&` for itself, one at the end moves a stream, and what is quoted
    # it expands all the same.
    if operator == "<&" or not _FILE.fullmatch(raw):
        raise Refused("redirect")
    return "write"
