"""Reads the checks that the specification contains. Pure."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from treadle.domain.deliverable import find_command_problem

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_ITEM = re.compile(r"(?P<indent>\s*)(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.*)")
# What ends a paragraph without a blank line in between: a heading, a quotation, a table, a rule.
_OTHER_BLOCK = re.compile(r"\s*(?:#{1,6}\s|>|\||(?:[-*_]\s*){3,}$)")
# `Check:` and code behind it, in as many backticks as the command itself needs.
_CHECK = re.compile(
    r"(?<![\w-])[*_]*check[*_]*:[*_]*\s*(?P<ticks>`+)(?P<command>.+?)(?<!`)(?P=ticks)(?!`)",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"[*_~`]")
# Whoever writes so means a check: at the beginning of a line or of a sentence, or with a capital.
_INTENDED_CHECK = re.compile(
    r"(?:^[\s>|(\[]*|[.!?;,)—–-]\s+)(?P<mark>(?i:[*_]*checks?[*_]*\s*:))"
    r"|(?<![\w-])(?P<capital>[*_]*(?:Checks?|CHECKS?)[*_]*\s*:)"
)
_CODE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)")
_HEADING = re.compile(r"\s*#{1,6}\s")


@dataclass(frozen=True, slots=True)
class SpecCheck:
    """A list item of the specification that says how it is shown; no two have the same text."""

    line: int
    text: str
    command: str


@dataclass(slots=True)
class _ListItem:
    line: int
    indent: int
    text: str
    # The number of each of its lines, and where that begins in the text.
    lines: list[tuple[int, int]]


def spec_checks(specification: str) -> tuple[SpecCheck, ...]:
    """All checks of the specification, in its order.

    They stand at the end of a list item, as in ``- It greets. Check: `./greet | grep hello` ``, or
    on a line of their own below it, indented or as an item inside it. A text that is there already
    gets a number, so that none of its checks is lost.
    """
    made: dict[str, SpecCheck] = {}
    seen: set[tuple[str, str]] = set()
    for found in _find_checks(specification):
        same = (fold_text(found.text), found.command)
        if same not in seen:
            seen.add(same)
            text = _unique_text(found.text, made)
            made[fold_text(text)] = SpecCheck(found.line, text, found.command)
    return tuple(made.values())


def unread_checks(specification: str) -> tuple[int, ...]:
    """The lines on which somebody seems to mean a check that `spec_checks` does not find."""
    inside: set[int] = set()
    unread: set[int] = set()
    for item in _items(specification):
        ends = [start for _, start in item.lines[1:]]
        for (number, start), end in zip(item.lines, [*ends, len(item.text)], strict=True):
            inside.add(number)
            meant = _find_intended(item.text[start:end])
            if not all(_is_read(item.text, start + at) for at in meant):
                unread.add(number)
    for number, line in _prose(specification):
        if number not in inside and not _HEADING.match(line) and _find_intended(line):
            unread.add(number)
    return tuple(sorted(unread))


def _find_intended(line: str) -> list[int]:
    """Where checks seem to begin; what is written as code is only spoken of."""
    without_code = _CODE.sub(lambda found: "`" * len(found[0]), line)
    found = _INTENDED_CHECK.finditer(without_code)
    return [mark.start("mark" if mark["mark"] else "capital") for mark in found]


def _is_read(text: str, at: int) -> bool:
    mark = _CHECK.match(text, at)
    return mark is not None and find_command_problem(mark["command"].strip()) is None


def _unique_text(text: str, taken: Collection[str]) -> str:
    number, free = 1, text
    while fold_text(free) in taken:
        number += 1
        free = f"{text} (#{number})"
    return free


def index_by_text(checks: Sequence[SpecCheck]) -> dict[str, SpecCheck]:
    """Found by the folded text of what they show."""
    return {fold_text(each.text): each for each in checks}


def fold_text(text: str) -> str:
    """The same for texts that differ in blanks, case, emphasis or the mark at their end alone."""
    return " ".join(_EMPHASIS.sub("", text).casefold().split()).rstrip(" .;:,!")


def _find_checks(specification: str) -> Iterator[SpecCheck]:
    above: list[_ListItem] = []
    for item in _items(specification):
        above = [each for each in above if each.indent < item.indent]
        text = _text_before_check(item.text) or (
            _text_before_check(above[-1].text) if above else ""
        )
        for mark in _CHECK.finditer(item.text):
            command = mark["command"].strip()
            if find_command_problem(command) is None:
                yield SpecCheck(item.line, text or f"`{command}` succeeds", command)
        above.append(item)


def _items(specification: str) -> Iterator[_ListItem]:
    """Each list item with the lines that belong to it, joined; code blocks belong to none."""
    item: _ListItem | None = None
    after_blank = False
    for number, line in _prose(specification):
        if not line.strip():
            after_blank = True
            continue
        begun = _ITEM.fullmatch(line)
        if begun is not None:
            if item is not None:
                yield item
            item = _ListItem(number, _width(begun["indent"]), begun["text"], [(number, 0)])
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
    """A line right below may begin anywhere; behind a blank one it has to be indented."""
    if _OTHER_BLOCK.match(line):
        return False
    return not after_blank or _width(line[: len(line) - len(line.lstrip())]) > item.indent


def _prose(specification: str) -> Iterator[tuple[int, str]]:
    """The lines that are no code blocks and no comments, numbered as people count them."""
    without = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), specification)
    fence = ""
    for number, line in enumerate(without.split("\n"), 1):
        marked = _FENCE.match(line)
        if fence:
            fence = "" if marked and marked[1].startswith(fence) else fence
        elif marked and "`" not in line[marked.end() :]:
            fence = marked[1]
        else:
            yield number, line.rstrip("\r")


def _text_before_check(text: str) -> str:
    """What an item says before its first check."""
    mark = _CHECK.search(text)
    return " ".join(text[: mark.start() if mark else None].split()).rstrip(" (—–-")


def _width(indent: str) -> int:
    return len(indent.expandtabs(4))
