"""Reads the checks that the specification contains. Pure."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from treadle.domain.deliverable import find_command_problem

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_COMMENT_END = "-->"
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_ITEM = re.compile(r"(?P<indent>\s*)(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.*)")
# A heading, quotation, table or rule ends a paragraph without a blank line.
_OTHER_BLOCK = re.compile(r"\s*(?:#{1,6}\s|>|\||(?:[-*_]\s*){3,}$)")
# `Check:` followed by code, in as many backticks as the command needs.
_CHECK = re.compile(
    r"(?<![\w-])[*_]*check[*_]*:[*_]*\s*(?P<ticks>`+)(?P<command>.+?)(?<!`)(?P=ticks)(?!`)",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"[*_~`]")
# A check is intended at the start of a line or sentence, or with a capital letter.
_INTENDED_CHECK = re.compile(
    r"(?:^[\s>|(\[]*|[.!?;,)—–-]\s+)(?P<mark>(?i:[*_]*checks?[*_]*\s*:))"
    r"|(?<![\w-])(?P<capital>[*_]*(?:Checks?|CHECKS?)[*_]*\s*:)"
)
_CODE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)")
_HEADING = re.compile(r"\s*#{1,6}\s")


@dataclass(frozen=True, slots=True)
class SpecCheck:
    """A list item of the specification with the command that checks it; texts are unique."""

    line: int
    text: str
    command: str


@dataclass(slots=True)
class _ListItem:
    line: int
    indent: int
    text: str
    # The number of each line, and its offset in the text.
    lines: list[tuple[int, int]]


def spec_checks(specification: str) -> tuple[SpecCheck, ...]:
    """All checks of the specification, in order.

    A check is at the end of a list item, as in ``- It greets. Check: `./greet | grep hello` ``, or
    on its own line below it, indented or as a nested item. A repeated text gets a number, so no
    check is lost.
    """
    checks: dict[str, SpecCheck] = {}
    known: set[tuple[str, str]] = set()
    for check in _find_checks(specification):
        key = (fold_text(check.text), check.command)
        if key not in known:
            known.add(key)
            text = _unique_text(check.text, checks)
            checks[fold_text(text)] = SpecCheck(check.line, text, check.command)
    return tuple(checks.values())


def unread_checks(specification: str) -> tuple[int, ...]:
    """The numbers of lines that look like a check but that `spec_checks` cannot parse."""
    in_items: set[int] = set()
    unread: set[int] = set()
    for item in _items(specification):
        ends = [start for _, start in item.lines[1:]]
        for (number, start), end in zip(item.lines, [*ends, len(item.text)], strict=True):
            in_items.add(number)
            intended = _find_intended(item.text[start:end])
            if not all(_is_read(item.text, start + offset) for offset in intended):
                unread.add(number)
    for number, line in _prose(specification):
        if number not in in_items and not _HEADING.match(line) and _find_intended(line):
            unread.add(number)
    return tuple(sorted(unread))


def _find_intended(line: str) -> list[int]:
    """Offsets at which checks seem to begin; text inside code does not count."""
    without_code = _CODE.sub(lambda marks: "`" * len(marks[0]), line)
    marks = _INTENDED_CHECK.finditer(without_code)
    return [mark.start("mark" if mark["mark"] else "capital") for mark in marks]


def _is_read(text: str, offset: int) -> bool:
    mark = _CHECK.match(text, offset)
    return mark is not None and find_command_problem(mark["command"].strip()) is None


def _unique_text(text: str, taken: Collection[str]) -> str:
    number, candidate = 1, text
    while fold_text(candidate) in taken:
        number += 1
        candidate = f"{text} (#{number})"
    return candidate


def index_by_text(checks: Sequence[SpecCheck]) -> dict[str, SpecCheck]:
    """The checks by their folded text."""
    return {fold_text(each.text): each for each in checks}


def fold_text(text: str) -> str:
    """Normalise blanks, case, emphasis and the punctuation at the end, for comparison."""
    return " ".join(_EMPHASIS.sub("", text).casefold().split()).rstrip(" .;:,!")


def _find_checks(specification: str) -> Iterator[SpecCheck]:
    parents: list[_ListItem] = []
    for item in _items(specification):
        parents = [each for each in parents if each.indent < item.indent]
        text = _text_before_check(item.text) or (
            _text_before_check(parents[-1].text) if parents else ""
        )
        for mark in _CHECK.finditer(item.text):
            command = mark["command"].strip()
            if find_command_problem(command) is None:
                yield SpecCheck(item.line, text or f"`{command}` succeeds", command)
        parents.append(item)


def _items(specification: str) -> Iterator[_ListItem]:
    """Each list item with its lines joined; code blocks belong to no item."""
    item: _ListItem | None = None
    after_blank = False
    for number, line in _prose(specification):
        if not line.strip():
            after_blank = True
            continue
        start = _ITEM.fullmatch(line)
        if start is not None:
            if item is not None:
                yield item
            item = _ListItem(number, _width(start["indent"]), start["text"], [(number, 0)])
        elif item is not None and _continues_item(line, item, after_blank=after_blank):
            item.lines.append((number, len(item.text) + 1))
            item.text = f"{item.text} {line.strip()}"
        elif item is not None:
            yield item
            item = None
        after_blank = False
    if item is not None:
        yield item


def _continues_item(line: str, item: _ListItem, *, after_blank: bool) -> bool:
    """The next line may begin anywhere; after a blank line it has to be indented."""
    if _OTHER_BLOCK.match(line):
        return False
    return not after_blank or _width(line[: len(line) - len(line.lstrip())]) > item.indent


def _prose(specification: str) -> Iterator[tuple[int, str]]:
    """The lines outside code blocks and comments, numbered from 1."""
    # What is never closed is no comment; looking for its end each time would take long.
    last = specification.rfind(_COMMENT_END) + len(_COMMENT_END)
    closed, rest = specification[:last], specification[last:]
    text = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), closed) + rest
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark and "`" not in line[mark.end() :]:
            fence = mark[1]
        else:
            yield number, line.rstrip("\r")


def _text_before_check(text: str) -> str:
    """The text of an item before its first check."""
    mark = _CHECK.search(text)
    return " ".join(text[: mark.start() if mark else None].split()).rstrip(" (—–-")


def _width(indent: str) -> int:
    return len(indent.expandtabs(4))
