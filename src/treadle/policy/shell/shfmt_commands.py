"""Reads simple commands, tests and redirections from shfmt's tree. Pure."""

import re
from dataclasses import dataclass, field

from treadle.policy.shell.builtin_checks import check_call, check_operator, check_value
from treadle.policy.shell.line_outline import LineOutline
from treadle.policy.shell.refusals import LineRefused
from treadle.policy.shell.shell_nodes import OutputUse, SimpleNode, SubshellNode
from treadle.policy.shell.shfmt_nodes import Json, require_known_keys, span
from treadle.policy.shell.shfmt_words import WordReader
from treadle.policy.shell.syntax import Assignment, Redirect, RedirectKind, ShellCommand, Word

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
class CommandBuilder:
    """A command while its parts are read."""

    words: list[Word] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    bodies: list[SubshellNode] = field(default_factory=list)

    def build(self) -> SimpleNode:
        words = tuple(self.words)
        return SimpleNode(
            ShellCommand(words, tuple(self.assignments), tuple(self.redirects)), tuple(self.bodies)
        )


@dataclass(frozen=True, slots=True)
class CommandReader:
    """Reads them one by one; what they are made of goes into the outline."""

    words: WordReader
    outline: LineOutline

    def call(self, node: Json, gathering: CommandBuilder) -> None:
        """Words with assignments before them."""
        require_known_keys(node, "Args", "Assigns")
        for found in node.get("Assigns") or ():
            self._assignment(found, gathering)
        arguments = node.get("Args") or []
        for found in arguments:
            gathering.words.append(self._word(found, "argument", gathering))
        if not arguments:
            return
        name = gathering.words[0]
        if not name.plain:
            raise LineRefused("dynamic-name")
        if name.text == "[" and not name.quoted:
            self.outline.add("test", span(arguments[0])[0], span(arguments[-1])[1])
        else:
            self.outline.add_command(span(found) for found in arguments)
        check_call(tuple(gathering.words))

    def declaration(self, node: Json, gathering: CommandBuilder) -> None:
        """`export`, and nothing else of its kind."""
        require_known_keys(node, "Variant", "Args")
        variant = node["Variant"]
        if variant["Value"] != "export":
            raise LineRefused("declaration")
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

    def _exported(self, node: Json, gathering: CommandBuilder) -> None:
        """A word behind `export`, which in quotes may be an assignment as well."""
        require_known_keys(node, "Naked", "Name", "Value")
        value = node.get("Value")
        word = self.words.static(value, "declaration") if value else Word(node["Name"]["Value"])
        if not word.plain:
            raise LineRefused("declaration")
        name, sign, text = word.text.partition("=")
        if sign:
            gathering.assignments.append(Assignment(name, Word(text, quoted=True)))
        else:
            gathering.words.append(word)

    def test(self, node: Json, gathering: CommandBuilder) -> None:
        """`[[ … ]]`, its words in the order of the text."""
        require_known_keys(node, "X")
        self.outline.add("test", *span(node))
        gathering.words.append(Word("[["))
        self._test_part(node["X"], gathering)
        gathering.words.append(Word("]]"))
        check_call(tuple(gathering.words))

    def _test_part(self, node: Json, gathering: CommandBuilder) -> None:
        match node["Type"]:
            case "Word":
                word, bodies = self.words.read_whole(node, "argument")
                gathering.words.append(word)
                gathering.bodies.extend(bodies)
            case "UnaryTest":
                require_known_keys(node, "OpPos", "Op", "X")
                gathering.words.append(Word(node["Op"]))
                start = len(gathering.words)
                self._test_part(node["X"], gathering)
                check_operator(node["Op"], gathering.words[start:])
            case "BinaryTest":
                require_known_keys(node, "OpPos", "Op", "X", "Y")
                start = len(gathering.words)
                self._test_part(node["X"], gathering)
                middle = len(gathering.words)
                gathering.words.append(Word(node["Op"]))
                self._test_part(node["Y"], gathering)
                operands = gathering.words[start:middle] + gathering.words[middle + 1 :]
                check_operator(node["Op"], operands)
            case "ParenTest":
                require_known_keys(node, "Lparen", "Rparen", "X")
                self._test_part(node["X"], gathering)
            case _:
                raise LineRefused("construct")

    def redirect(self, node: Json, gathering: CommandBuilder) -> None:
        require_known_keys(node, "OpPos", "Op", "N", "Word", "Hdoc")
        operator = node["Op"]
        descriptor = (node.get("N") or {}).get("Value", "")
        if not _DESCRIPTOR.fullmatch(descriptor):
            raise LineRefused("redirect")
        kind: RedirectKind
        if operator in {"<<", "<<-"}:
            kind, target = "heredoc", self._here_document(node, gathering)
        elif operator == "<<<":
            kind, target = "herestring", self._target(node, gathering, "heredoc")
        else:
            target = self._target(node, gathering, "argument")
            kind = _kind(operator, self.words.raw(node["Word"]))
        gathering.redirects.append(Redirect(kind, target, descriptor))

    def _target(self, node: Json, gathering: CommandBuilder, inside: OutputUse) -> Word:
        self.outline.add(node["Op"], *span(node["Word"]))
        return self._word(node["Word"], inside, gathering)

    def _here_document(self, node: Json, gathering: CommandBuilder) -> Word:
        raw = self.words.raw(node["Word"])
        found = _HERE_MARK.fullmatch(raw)
        if found is None:
            raise LineRefused("heredoc-mark")
        document = node.get("Hdoc")
        if not document:
            raise LineRefused("heredoc-empty")
        mark = found[found.lastindex or 0]
        end = span(document)[1]
        self.outline.add("<<", end - len(mark), end)
        word, bodies = self.words.here_document(
            document, end - len(mark), literal=raw != mark, indented=node["Op"] == "<<-"
        )
        gathering.bodies.extend(bodies)
        return word

    def _assignment(self, node: Json, gathering: CommandBuilder) -> None:
        if node.get("Index") is not None or node.get("Array") is not None:
            raise LineRefused("array")
        if node.get("Append"):
            raise LineRefused("append-assignment")
        require_known_keys(node, "Name", "Value")
        if not _NAME.fullmatch(node["Name"]["Value"]):
            raise LineRefused("dynamic-name")
        value = Word("")
        if node.get("Value"):
            value, bodies = self.words.read_whole(node["Value"], "assignment")
            gathering.bodies.extend(bodies)
        if value.plain:
            check_value(value)
        gathering.assignments.append(Assignment(node["Name"]["Value"], value))
        self.outline.add("assignment", *span(node))

    def _word(self, node: Json, inside: OutputUse, gathering: CommandBuilder) -> Word:
        word, bodies = self.words.read(node, inside)
        gathering.bodies.extend(bodies)
        return word


def _kind(operator: str, raw: str) -> RedirectKind:
    if operator not in {">&", "<&"}:
        if operator not in _KINDS:
            raise LineRefused("redirect")
        return _KINDS[operator]
    if _STREAM.fullmatch(raw):
        return "duplicate"
    # Bash takes a dash behind `>&` for itself, one at the end moves a stream, and what is quoted
    # it expands all the same.
    if operator == "<&" or not _FILE.fullmatch(raw):
        raise LineRefused("redirect")
    return "write"
