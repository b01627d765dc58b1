"""Merges build files: more sources and dependencies from the work, all else the base's. Pure."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from treadle.verify.judges.judge_files import judge_kind
from treadle.verify.manifests.line_manifests import MOST_LINES

_TOKEN = re.compile(r"[\w./+*@-]+|[^\s\w]")
_TOKEN_OR_LINE = re.compile(r"[\w./+*@-]+|\\\n|\n|[^\s\w]")
_SOURCE = re.compile(
    r"[\w./+-]+\.(?:c|cc|cpp|cxx|c\+\+|h|hh|hpp|hxx|m|mm|o|f90|f|rs|go|zig|d|s|S|java|kt|ml|mli|hs)"
)
# Signs between the entries of a list.
_SEPARATORS = frozenset({"'", '"', ",", "\\\n"})
_XML_TAG = re.compile(r"<(?P<end>/?)(?P<name>[\w.:-]++)[^<>]*+>|<!--.*?(?:-->|\Z)", re.DOTALL)
_LONGEST_LIST = 20_000
_LOCAL_DEPENDENCY = re.compile(r"systemPath|<scope>\s*(?:system|import)")


def merge_source_list(base: bytes, work: bytes) -> bytes | None:
    """The base's with the sources that the work added to its lists; None if it added none."""
    return _merge_tokens(_TOKEN, base, work)


def merge_makefile(base: bytes, work: bytes) -> bytes | None:
    """The same for a makefile, where a line of its own would be a command."""
    return _merge_tokens(_TOKEN_OR_LINE, base, work)


def merge_pom(base: bytes, work: bytes) -> bytes | None:
    """The work's, if it differs by the dependencies of the project alone; else None."""
    before, after = _without_dependencies(base), _without_dependencies(work)
    if before is None or before != after or _LOCAL_DEPENDENCY.search(work.decode(errors="replace")):
        return None
    return work


def _merge_tokens(token: re.Pattern[str], base: bytes, work: bytes) -> bytes | None:
    """The base's with the longer lists of the work; None if the work has none."""
    before = base.decode(errors="surrogateescape").splitlines(keepends=True)
    after = work.decode(errors="surrogateescape").splitlines(keepends=True)
    merged: list[str] = []
    if len(before) + len(after) > MOST_LINES:
        return None
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for action, start, end, first, last in matcher.get_opcodes():
        old, new = before[start:end], after[first:last]
        around = before[start - 1 : start] if start else [], before[end : end + 1]
        if action == "equal" or _is_longer_list(token, around, old, new):
            merged += new
        else:
            merged += [_longer_line(token, line, new) for line in old]
    if merged == after:
        return work
    return None if merged == before else "".join(merged).encode(errors="surrogateescape")


def _longer_line(token: re.Pattern[str], line: str, candidates: Iterable[str]) -> str:
    """The first of the candidates that is this line with more sources; else the line itself."""
    # A shorter one has not all that this line has.
    likely = (each for each in candidates if len(each) > len(line))
    longer = (each for each in likely if _is_longer_list(token, ([], []), [line], [each]))
    return next(longer, line)


def _is_longer_list(
    token: re.Pattern[str],
    around: tuple[list[str], list[str]],
    base: list[str],
    work: list[str],
) -> bool:
    """Whether some lines of the work differ by more source files alone."""
    texts = ["".join([*around[0], *lines, *around[1]]) for lines in (base, work)]
    if max(map(len, texts)) > _LONGEST_LIST or _remarks(texts[0]) != _remarks(texts[1]):
        return False
    before, after = map(token.findall, texts)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for action, start, end, first, last in matcher.get_opcodes():
        if action == "equal":
            continue
        neighbours = (_nearest(reversed(before[:start])), _nearest(before[end:]))
        are_sources = all(each in _SEPARATORS or _is_source(each) for each in after[first:last])
        if not any(map(_is_source, neighbours)) or not are_sources:
            return False
        if set(before[start:end]) - _SEPARATORS:
            return False
    return True


def _remarks(text: str) -> list[str]:
    """Lines with a comment, which a missing line end would make longer."""
    return [line for line in text.splitlines() if "#" in line]


def _nearest(tokens: Iterable[str]) -> str:
    return next((token for token in tokens if token not in _SEPARATORS), "")


def _is_source(token: str) -> bool:
    return _SOURCE.fullmatch(token) is not None and judge_kind(token) is None


def _without_dependencies(content: bytes) -> list[str] | None:
    """The tokens of a pom.xml without those of `<project><dependencies>`; None if it has none."""
    text = content.decode(errors="replace")
    path: list[str] = []
    start = 0
    rest: list[str] = []
    for found in _XML_TAG.finditer(text):
        name = found["name"]
        if name is None or found[0].endswith("/>"):
            continue
        if not found["end"]:
            path.append(name)
            if path == ["project", "dependencies"]:
                rest.append(text[start : found.start()])
        elif path and path[-1] == name:
            if path == ["project", "dependencies"]:
                start = found.end()
            path.pop()
        else:
            return None
    rest.append(text[start:])
    return None if path else "".join(rest).split()
