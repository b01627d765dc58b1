"""Decides whether a build file of the work only lists more sources or dependencies. Pure."""

import re
from difflib import SequenceMatcher

from treadle.verify.judge_files import judge_kind

_TOKEN = re.compile(r"[\w./+*@-]+|[^\s\w]")
_SOURCE = re.compile(
    r"[\w./+-]+\.(?:c|cc|cpp|cxx|c\+\+|h|hh|hpp|hxx|m|mm|o|f90|f|rs|go|zig|d|s|S|java|kt|ml|mli|hs)"
)
# Signs between the entries of a list.
_SEPARATORS = frozenset("'\",")
_XML_TAG = re.compile(r"<(?P<end>/?)(?P<name>[\w.:-]+)[^<>]*?(?P<empty>/?)>|<!--.*?-->", re.DOTALL)
_LOCAL_DEPENDENCY = re.compile(r"systemPath|<scope>\s*(?:system|import)")


def merge_source_list(base: bytes, work: bytes) -> bytes | None:
    """The work's, if it differs by more source files alone; else None."""
    before, after = _tokens(base), _tokens(work)
    for action, start, end, first, last in SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        if action == "equal":
            continue
        if action != "insert" and set(before[start:end]) - _SEPARATORS:
            return None
        if not all(map(_is_source, after[first:last])):
            return None
    return work


def merge_pom(base: bytes, work: bytes) -> bytes | None:
    """The work's, if it differs by the dependencies of the project alone; else None."""
    before, after = _without_dependencies(base), _without_dependencies(work)
    if before is None or before != after or _LOCAL_DEPENDENCY.search(work.decode(errors="replace")):
        return None
    return work


def _tokens(content: bytes) -> list[str]:
    return _TOKEN.findall(content.decode(errors="replace"))


def _is_source(token: str) -> bool:
    return token in _SEPARATORS or (
        _SOURCE.fullmatch(token) is not None and judge_kind(token) is None
    )


def _without_dependencies(content: bytes) -> list[str] | None:
    """The tokens of a pom.xml without those of `<project><dependencies>`; None if it has none."""
    text = content.decode(errors="replace")
    path: list[str] = []
    start = 0
    rest: list[str] = []
    for found in _XML_TAG.finditer(text):
        name = found["name"]
        if name is None or found["empty"]:
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
